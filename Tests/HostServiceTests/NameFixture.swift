import TestSupport
import Testing

/// Names that are published, things that are not, and ways to ask for them.
enum NameFixture {
    /// File names that once were stumbled over.
    static let names = [
        "a b.bin", "a+b.bin", "100%.bin", "100%25.bin", "a#b.bin", "a?b.bin", "a&b=c.bin", "v1..2.bin", "..hidden",
        "...",
        ".hidden", "é.bin", "e\u{301}.bin", "日本語.txt", "\u{1F600}.bin", "'single'.bin", "\"double\".bin",
        "<b>bold.bin", "back\\slash.bin", "a;b.bin", "a:b@c.bin", "(a)[b]{c}|d^e`f.bin", "~$!*,.bin", "%2e%2e",
        "%2F",
        "a%00b", "con", "\u{301}mark.bin", "x\u{200D}.bin", "\u{212A}.bin", "K.bin", "k.bin", " leading", "trailing ",
        "resolve", "manifest.json", String(repeating: "n", count: 255),
    ]

    /// The asset that holds a name.
    static func asset(_ index: Int) -> String {
        names[..<index].contains(names[index]) ? "N.aimodel" : "M.aimodel"
    }

    static func content(_ index: Int) -> [UInt8] { ReleaseContent.patternBytes(64, seed: UInt64(index + 100)) }
    /// No octet of this may ever be sent.
    static let secret = "secret-that-is-nobodys-business"

    @Sendable static func publish(_ store: ReleaseStore) throws {
        // A dictionary takes canonically equivalent texts for one key, so the second of a pair has its own asset.
        var assets: [String: [String: ReleaseContent]] = ["M.aimodel": [:], "N.aimodel": [:]]
        for (index, name) in names.enumerated() { assets[asset(index)]?["sub dir/\(name)"] = .bytes(content(index)) }
        try store.publish(
            model: "M.odd-name_1",
            version: "1.0.0+b.1",
            assets: assets.merging([
                "Model é & <i>.h18p.aimodelc": ["main.mlirb": "accented"],
                // An Arabic number sign joins the dot behind it to one Character.
                "\u{0600}.aimodel": ["main.mlirb": "joined"],
            ]) { $1 },
            companions: ["modèle/a+b 100%.json": "{}", "a\u{301}/\u{301}b/c.txt": "deep"],
            createdAt: RangeCase.createdAt
        )
        for path in [
            "secret.txt", "Public/secret.txt", "Public/models/secret.txt", "Public/models/M.odd-name_1/secret.txt",
            "Public/models/M.odd-name_1/1.0.0+b.1/secret.txt",
            "Public/models/M.odd-name_1/1.0.0+b.1/M.aimodel/secret.txt",
            "Public/models/M.odd-name_1/1.0.0+b.1/M.aimodel/.DS_Store", "Public/.git/config", ".git/config",
            "Public/.env",
            "var/telemetry.sqlite", "var/telemetry.sqlite-wal", "Public/telemetry.sqlite",
            "Public/models/telemetry.sqlite-wal",
            "Public/models/.staging/M/x", "Public/models/M.odd-name_1/.staging-1.0.1/secret.txt",
            "Public/models/M.odd-name_1/1.0.1/secret.txt", "manifests/M.odd-name_1/notes.txt",
        ] {
            try TemporaryFolder.write(Array(secret.utf8), to: store.path(path))
        }
    }

    static let base = "/models/M.odd-name_1/1.0.0%2Bb.1"

    static func encoded(_ octet: UInt8) -> String {
        let isPlain =
            (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet & 0xDF) && octet < 0x80
            || "-._~/".utf8.contains(octet)
        return isPlain ? String(UnicodeScalar(octet)) : hex(octet)
    }

    static func hex(_ octet: UInt8) -> String {
        let digits = String(octet, radix: 16, uppercase: true)
        return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
    }

    /// Every spelling of "up" and "root" that servers were led out by.
    static let traversals: [String] = {
        let ups = [
            "..", "%2e%2e", ".%2e", "%2E.", "%252e%252e", "..%2f", "%2e%2e%2f", "..%5c", "..\\", "%c0%ae%c0%ae",
            "%e0%80%ae%e0%80%ae", "..;", "..%00", "..%0d%0a", "....//", "%uff0e%uff0e", "．．",
        ]
        var targets: [String] = []
        for up in ups {
            for depth in [1, 2, 3, 4, 5, 8] {
                let climb = Array(repeating: up, count: depth).joined(separator: "/")
                for start in [
                    "", "/models", "/models/M.odd-name_1", base, "\(base)/M.aimodel", "\(base)/M.aimodel/sub%20dir",
                ] {
                    targets.append("\(start)/\(climb)/secret.txt")
                }
            }
            targets.append("/\(up)/\(up)/\(up)/\(up)/etc/passwd")
        }
        return targets + [
            "/models/./secret.txt", "\(base)/./secret.txt", "//secret.txt", "/models//secret.txt",
            "\(base)//secret.txt",
            "/%2fetc/passwd", "//etc/passwd", "/models/%2fetc%2fpasswd", "\(base)/M.aimodel/%2fetc%2fpasswd",
            "file:///etc/passwd", "/models\\..\\secret.txt", "/models/M.odd-name_1/1.0.0%2Bb.1%2fsecret.txt",
            "/models/M.odd-name_1%2f1.0.0%2Bb.1/manifest.json", "\(base)%2fmanifest.json",
            "\(base)/M.aimodel%2fsub%20dir%2fk.bin", "\(base)/M.aimodel/sub%20dir%2Fk.bin", "?/../secret.txt",
        ]
    }()
}
