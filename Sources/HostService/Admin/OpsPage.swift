internal import HostSystem
internal import ModelCatalog

/// The ops page: one document that holds its style and its script, asks nothing but this listener's own API, and shows
/// what it is told as text.
enum OpsPage {
    /// It is the same for all requests of a process.
    static let document: Document = {
        let script = [nodesScript, chartsScript, catalogScript, telemetryScript, refreshScript].joined(separator: "\n")
        let html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>\(title)</title>
            <link rel="icon" href="\(icon)">
            <style>\(style)</style>
            </head>
            <body>
            \(body)
            <script>\(script)</script>
            </body>
            </html>

            """
        let octets = Array(html.utf8)
        return Document(
            mediaType: "text/html; charset=utf-8",
            body: octets,
            cacheControl: "no-cache",
            etag: Array("\"\(digest(html))\"".utf8),
            policy: policy(script: script, style: style)
        )
    }()

    /// SHA-256 in base64, as the policy wants it.
    private static func digest(_ text: String) -> String {
        ContentDigest(bytes: SHA256.digest(of: Array(text.utf8)))?.base64 ?? ""
    }

    /// Nothing runs and nothing styles but what stands in the page, known by its digest (CSP 3, section 2.3.1): markup
    /// that slipped into the page by way of a device's text could neither run nor ask anybody.
    private static func policy(script: String, style: String) -> String {
        func source(_ text: String) -> String { "'sha256-\(digest(text))'" }
        return [
            "default-src 'none'", "script-src \(source(script))", "style-src \(source(style))", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }
}
