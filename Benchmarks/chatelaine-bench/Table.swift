/// A table that a run prints, in Markdown.
struct Table {
    private var rows: [[String]]

    init(headings: [String] = ["what", "measured", "floor", "ratio", "target"]) { rows = [headings] }

    mutating func add(_ row: [String]) { rows.append(row) }

    mutating func add(_ what: String, _ measured: String, floor: String = "", ratio: String = "", target: String) {
        rows.append([what, measured, floor, ratio, target])
    }

    /// Adds a row with a time and its floor, both in microseconds.
    mutating func add(_ what: String, _ measured: Double, floor: Double, atMost target: Double) {
        add(
            what, "\(text(measured)) µs", floor: "\(text(floor)) µs", ratio: text(measured / floor),
            target: "≤ \(text(target)) ×")
    }

    func text(_ number: Double) -> String {
        let scaled = Int64((number * 100).rounded())
        if scaled >= 10_000 { return "\(scaled / 100)" }
        if scaled >= 1_000 { return "\(scaled / 100).\(scaled % 100 / 10)" }
        return "\(scaled / 100).\(scaled % 100 < 10 ? "0" : "")\(scaled % 100)"
    }

    func show() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for (index, row) in rows.enumerated() {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            print("| " + cells.joined(separator: " | ") + " |")
            if index == 0 {
                print("|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|")
            }
        }
    }
}
