import Foundation
import Testing

@Suite("The client builds where there is no Linux: what only Linux has stands behind a condition")
struct PortabilityTests {
    private static var sources: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/ModelDelivery", isDirectory: true)
    }

    /// Names that Darwin has not, or modules that only the server has.
    private static let foreign = [
        "Glibc", "HostSystem", "OpenSSL", "statvfs(", "posix_fadvise", "MSG_NOSIGNAL", "SOCK_CLOEXEC",
    ]

    /// Lines that name something of Linux and would be compiled elsewhere.
    static func exposed(_ source: String) -> [String] {
        // For each open condition, whether its present branch is compiled on Linux only.
        var branches: [Bool] = []
        var exposed: [String] = []
        for line in source.split(separator: "\n") {
            let text = line.drop { $0 == " " }
            let isLinux = text.contains("os(Linux)") || text.contains("canImport(Glibc)")
            let onlyLinux = isLinux && !text.contains("!") && !text.contains("||")
            if text.hasPrefix("#if ") {
                branches.append(onlyLinux)
            } else if text.hasPrefix("#elseif ") || text.hasPrefix("#else") {
                _ = branches.popLast()
                branches.append(onlyLinux)
            } else if text.hasPrefix("#endif") {
                _ = branches.popLast()
            } else if !text.hasPrefix("//"), !branches.contains(true), foreign.contains(where: { text.contains($0) }) {
                exposed.append(String(text))
            }
        }
        return exposed
    }

    @Test("Every file of the client")
    func files() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path).filter {
            $0.hasSuffix(".swift")
        }
        #expect(names.count > 30)
        for name in names {
            let source = try String(contentsOf: Self.sources.appendingPathComponent(name), encoding: .utf8)
            #expect(Self.exposed(source).isEmpty, "\(name)")
        }
    }

    @Test(
        "The scan tells the branches apart",
        arguments: [
            ("internal import Glibc", 1), ("#if os(Linux)\nimport Glibc\n#endif", 0),
            ("#if canImport(Darwin)\nimport Darwin\n#else\nimport Glibc\n#endif", 1),
            ("#if canImport(Darwin)\nimport Darwin\n#elseif os(Linux)\nimport Glibc\n#endif", 0),
            ("#if !os(Linux)\nimport Glibc\n#endif", 1), ("#if os(Linux)\n#endif\nimport HostSystem", 1),
            ("#if os(Linux)\n#if DEBUG\nimport Glibc\n#endif\n#endif", 0), ("/// As Glibc has it.", 0),
        ]
    )
    func scan(_ source: String, _ count: Int) {
        #expect(Self.exposed(source).count == count)
    }
}
