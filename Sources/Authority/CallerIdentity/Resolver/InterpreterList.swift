import ChatelaineModel

/// Names and paths of shared programs, as listed in a file (`Documentation/formats/interpreters.md`).
struct InterpreterList: Equatable, Sendable {
    /// In bytes: hundreds of times what an administrator needs.
    static let longestFile = 64 * 1024
    /// Includes comments and empty lines.
    static let mostLines = 2_000
    /// In bytes: `NAME_MAX`, the longest file name.
    static let longestName = 255

    private(set) var stems: Set<Substring> = []
    private(set) var paths: Set<CanonicalPath> = []
    /// The number of the first line that is neither a name nor a path, from 1; all other lines count.
    private(set) var badLine: Int?

    init() {}

    /// Nil if there are too many lines.
    init?(_ content: [UInt8]) {
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count <= Self.mostLines else { return nil }
        for (index, line) in lines.enumerated() where !take(Self.trimmed(line)) { badLine = badLine ?? index + 1 }
    }

    func contains(_ path: CanonicalPath) -> Bool {
        paths.contains(path) || SharedPrograms.isVersion(path.name, of: stems)
    }

    private mutating func take(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first, first != UInt8(ascii: "#") else { return true }
        guard first != UInt8(ascii: "/") else {
            guard let path = PrintablePath.canonical(Array(line)), !path.isRoot else { return false }
            paths.insert(path)
            return true
        }
        // A file name has no slash, is not “.” and is a single component.
        guard line.count <= Self.longestName, let path = PrintablePath.canonical([UInt8(ascii: "/")] + line),
            path.folder.isRoot
        else { return false }
        stems.insert(path.name)
        return true
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let blanks: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        var line = line.drop { blanks.contains($0) }
        while let last = line.last, blanks.contains(last) { line.removeLast() }
        return line
    }
}
