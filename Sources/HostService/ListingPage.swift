internal import HTTPWire

/// Listings as pages, for people and for crawlers that follow links (rclone's http remote, wget -r).
enum ListingPage {
    struct Row {
        let name: String
        let isFolder: Bool
        /// Octets.
        let size: UInt64?

        init(folder name: String, size: UInt64? = nil) {
            self.name = name
            isFolder = true
            self.size = size
        }

        init(file name: String, size: UInt64? = nil) {
            self.name = name
            isFolder = false
            self.size = size
        }
    }

    /// - Parameters:
    ///   - parent: the path of the folder above, percent-encoded; nil at the top.
    ///   - path: the page's own path, percent-encoded, with its trailing slash; links begin with it.
    static func page(_ title: String, parent: String?, _ rows: [Row], at path: String) -> Document {
        var html = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(escaped(title))</title>
            <style>
            :root { color-scheme: light dark }
            body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
            table { border-collapse: collapse; width: 100% }
            td { padding: .2rem .5rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
            td + td { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
            </style></head>
            <body><h1>\(escaped(title))</h1>
            <table>

            """
        if let parent { html += "<tr><td><a href=\"\(parent)\">../</a></td><td></td></tr>\n" }
        for row in rows {
            let slash = row.isFolder ? "/" : ""
            let link = path + PercentDecoding.encode(path: row.name.utf8) + slash
            let size = row.size.map { "\($0)" } ?? ""
            html += "<tr><td><a href=\"\(link)\">\(escaped(row.name))\(slash)</a></td><td>\(size)</td></tr>\n"
        }
        html += "</table></body></html>\n"
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
}
