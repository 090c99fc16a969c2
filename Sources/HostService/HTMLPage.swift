internal import HTTPWire

/// What all pages for people have in common. A page loads nothing and runs nothing: see its Content-Security-Policy.
enum HTMLPage {
    /// A page of this title, which is its heading too.
    ///
    /// - Parameter body: markup; whatever text is in it was `escaped`.
    static func document(_ title: String, body: String) -> Document {
        let html = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(escaped(title))</title>
            <style>
            :root { color-scheme: light dark }
            body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
            p { max-width: 40rem }
            table { border-collapse: collapse; width: 100% }
            th { font-weight: 600; text-align: left }
            td, th { padding: .2rem .5rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
            td + td, th + th { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
            </style></head>
            <body><h1>\(escaped(title))</h1>
            \(body)</body></html>

            """
        return Listing.listed(Array(html.utf8), mediaType: "text/html; charset=utf-8")
    }

    /// Text as HTML, in content or in a quoted attribute.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// The same, with what stands between backticks as code.
    static func escapedWithCode(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { index, part in
                index.isMultiple(of: 2) ? escaped(String(part)) : "<code>\(escaped(String(part)))</code>"
            }
            .joined()
    }
}
