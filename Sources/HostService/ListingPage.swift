internal import HTTPWire
internal import ModelCatalog

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
        var table = "<table>\n<tr><th scope=\"col\">Name</th><th scope=\"col\">Size</th></tr>\n"
        if let parent { table += "<tr><td><a href=\"\(parent)\">../</a></td><td></td></tr>\n" }
        for row in rows {
            let slash = row.isFolder ? "/" : ""
            let link = path + PercentDecoding.encode(path: row.name.utf8) + slash
            let size = row.size.map { "<td title=\"\($0) octets\">\(ByteCount.text($0))</td>" } ?? "<td></td>"
            table += "<tr><td><a href=\"\(link)\">\(HTMLPage.escaped(row.name))\(slash)</a></td>\(size)</tr>\n"
        }
        return HTMLPage.document(title, body: table + "</table>\n")
    }
}
