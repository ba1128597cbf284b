import ChatelaineModel
import DaemonOptions
import Foundation
import SecurityTool

/// Makes manual pages and shell completions from the descriptions of the programs.
///
/// - `Commands/`: verbs and options as ``SecurityTool`` and ``DaemonOptions`` have them, in one form (``Command``).
/// - `Markdown/`: the subset of Markdown that our documents use. Anything beyond it is an error, so that no page is
///   wrong unnoticed.
/// - `Roff/`: blocks of a document as the source of a manual page.
/// - `Completions/`: the same commands for bash, zsh and fish.
///
/// The texts of sections 1 and 8 are in `Documentation/manual`, where a comment marks the place of generated parts. The
/// documents in `Documentation/formats` are section 5. The results are kept in `Packaging`, so that installing only
/// copies them and a change can be reviewed; a test compares them.
package struct ManualPages {
    /// The prefix of a format's page before the name of its document.
    static let formatPrefix = "chatelaine-"

    let root: URL

    /// - Parameter root: the folder of the source.
    package init(root: URL) { self.root = root }

    /// Every generated file by its path below the root; throws ``PageError``, and what reading files throws.
    package func files() throws -> [(path: String, text: String)] {
        let security = try Command.security()
        var files = [
            ("Packaging/completions/security.bash", BashCompletion(security).text),
            ("Packaging/completions/_security", ZshCompletion(security).text),
            ("Packaging/completions/security.fish", FishCompletion(security).text),
        ]
        let programs = [
            ("security", 1), ("securityd", 8), ("enclaved", 8), ("keyd", 8), ("security-agent", 8), ("trustd", 8),
            ("formatd", 8), ("fetchd", 8),
            ("pam_chatelaine", 8),
        ]
        for (name, section) in programs {
            let source = "Documentation/manual/\(name).\(section).md"
            let blocks = try MarkdownParser(try text(source), file: source).blocks().flatMap { block in
                guard case .generated(let what) = block else { return [block] }
                return try generated(what, security)
            }
            files.append((target(name, section), try page(name, section, source, blocks)))
        }
        for name in try formats() {
            let source = "Documentation/formats/\(name).md"
            let blocks = try MarkdownParser(try text(source), file: source).blocks()
            files.append((target(Self.formatPrefix + name, 5), try page(Self.formatPrefix + name, 5, source, blocks)))
        }
        return files
    }

    /// Names of the documents about formats, without `.md`.
    func formats() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Documentation/formats").path)
            .filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private func target(_ name: String, _ section: Int) -> String { "Packaging/man/\(name).\(section)" }

    private func page(_ name: String, _ section: Int, _ source: String, _ blocks: [Block]) throws -> String {
        let references = Set(try formats())
        return try RoffPage(name: name, section: section, source: source) { document in
            references.contains(document) ? (Self.formatPrefix + document, 5) : nil
        }.text(blocks)
    }

    private func generated(_ what: String, _ security: Command) throws -> [Block] {
        switch what {
        case "security synopsis": CommandBlocks.synopsis(security)
        case "security attributes": CommandBlocks.definitions(try Command.attributes())
        case "security verbs": try CommandBlocks.verbs(security, without: try Command.attributes())
        case "securityd options": CommandBlocks.definitions(DaemonOption.securityd)
        case "enclaved options": CommandBlocks.definitions(DaemonOption.enclaved)
        case "security-agent options": CommandBlocks.definitions(DaemonOption.agent)
        case "keyd options": CommandBlocks.definitions(DaemonOption.keyd)
        case "trustd options": CommandBlocks.definitions(DaemonOption.trustd)
        case "formatd options": CommandBlocks.definitions(DaemonOption.formatd)
        case "fetchd options": CommandBlocks.definitions(DaemonOption.fetchd)
        default: throw PageError("nothing is generated for “\(what)”")
        }
    }
}
