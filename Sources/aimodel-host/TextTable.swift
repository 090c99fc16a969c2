/// Columns of text for people, on a terminal or off: a line of titles, then the rows, two blanks between columns.
struct TextTable {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var lines: [[String]]

    /// - Parameter columns: titles; numbers stand to the right.
    init(_ columns: [(title: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        lines = [columns.map(\.title)]
    }

    init(_ titles: [String]) {
        self.init(titles.map { ($0, .left) })
    }

    /// - Parameter cells: as many as there are columns.
    mutating func append(_ cells: [String]) {
        precondition(cells.count == alignments.count)
        lines.append(cells.map { Output.printable($0, inLine: true) })
    }

    var text: String {
        let widths = alignments.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            var text = ""
            for (column, cell) in line.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                if column > 0 { text += "  " }
                text += alignments[column] == .left ? cell + padding : padding + cell
            }
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }
        .joined()
    }
}
