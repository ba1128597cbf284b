import ChatelaineModel

/// Names and paths of shared programs, as a file has them (`Documentation/formats/interpreters.md`).
struct InterpreterList: Equatable, Sendable {
    /// Hundreds of times what an administrator has to say.
    static let longestFile = 64 * 1024
    /// Comments and empty lines as well.
    static let mostLines = 2_000
    /// `NAME_MAX`; no file has a longer one.
    static let longestName = 255

    private(set) var stems: Set<Substring> = []
    private(set) var paths: Set<CanonicalPath> = []
    /// The first line that is neither a name nor a path, from 1; the others count all the same.
    private(set) var badLine: Int?

    init() {}

    /// Nil where there are too many lines.
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
        // No name of a file has a slash, is “.” or is more than one component.
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
