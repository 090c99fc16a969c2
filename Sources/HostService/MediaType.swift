/// Content-Type by a file's name. Only types that a browser shows without running anything; all else is octets.
enum MediaType {
    static func of(_ path: String) -> String {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return octets }
        let suffix = String(path[path.utf8.index(after: dot)...]).lowercased()
        return known[suffix] ?? octets
    }

    static let octets = "application/octet-stream"

    private static let known = [
        "json": "application/json",
        "txt": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8",
        "plist": "application/x-plist",
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
    ]
}
