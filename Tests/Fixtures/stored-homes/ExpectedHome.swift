import Foundation

/// The answers that a home of an earlier version must give: the file `expected.json` beside it.
///
/// The program that makes a home records here what it stored, not what it read back.
package struct ExpectedHome: Codable, Sendable {
    package struct Item: Codable, Sendable, Equatable {
        package var group: String
        /// `genp` or `inet`.
        package var itemClass: String
        /// The protection class, as in query dictionaries: `ak`, `cku`, …
        package var accessible: String
        package var isSynchronizable: Bool
        /// All attributes except the dates and the group, by their keys.
        package var attributes: [String: Value]
        /// The secret; missing for an item without a secret.
        package var secret: String?
        /// The identifier in its persistent reference, in hexadecimal digits.
        package var identifier: String
        /// The flags of its access control; missing for an item without one.
        package var flags: UInt?
        /// The application password that encrypts its secret.
        package var password: String?

        package init(
            group: String, itemClass: String, accessible: String, isSynchronizable: Bool, attributes: [String: Value],
            secret: String?, identifier: String
        ) {
            self.group = group
            self.itemClass = itemClass
            self.accessible = accessible
            self.isSynchronizable = isSynchronizable
            self.attributes = attributes
            self.secret = secret
            self.identifier = identifier
        }
    }

    /// The value of an attribute: an object with one member, whose key is the type.
    package enum Value: Codable, Sendable, Equatable {
        case text(String)
        case number(Int64)
        /// Hexadecimal digits.
        case data(String)

        private enum Key: String, CodingKey { case text, number, data }

        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            if let text = try values.decodeIfPresent(String.self, forKey: .text) {
                self = .text(text)
            } else if let digits = try values.decodeIfPresent(String.self, forKey: .data) {
                self = .data(digits)
            } else {
                self = .number(try values.decode(Int64.self, forKey: .number))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Key.self)
            switch self {
            case .text(let text): try values.encode(text, forKey: .text)
            case .number(let number): try values.encode(number, forKey: .number)
            case .data(let digits): try values.encode(digits, forKey: .data)
            }
        }
    }

    /// An answered change; if the request is repeated, it gets the same answer.
    package struct Request: Codable, Sendable {
        package var caller: String
        package var identifier: String
        package var digest: String
        /// The item that the request added.
        package var item: String

        package init(caller: String, identifier: String, digest: String, item: String) {
            self.caller = caller
            self.identifier = identifier
            self.digest = digest
            self.item = item
        }
    }

    package struct Snapshot: Codable, Sendable, Equatable {
        package var name: String
        package var items: Int
        package var sequence: UInt64

        package init(name: String, items: Int, sequence: UInt64) {
            self.name = name
            self.items = items
            self.sequence = sequence
        }
    }

    /// How it came to be.
    package var about: String
    /// When it was made, in seconds since 2001.
    package var time: Double
    package var items: [Item] = []
    package var tombstones = 0
    /// Rows that do not open and are in the quarantine once everything has been read.
    package var quarantined = 0
    /// Programs that are pinned or in development.
    package var programs: [String] = []
    /// Missing where nothing was decided but about programs.
    package var decisions: Decisions?
    package var snapshots: [Snapshot] = []
    package var requests: [Request] = []
    /// Whether opening it begins a recovery, or goes on with one.
    package var recovers = false
    /// Events of the list of losses, in any order, once everything has been read and every recovery is done.
    package var list: [String] = []
    /// Whether something is missing, or may be, which is reported until somebody acknowledges it.
    package var isMissing = false
    /// Missing where there is none.
    package var passcode: String?

    package init(about: String, time: Double) {
        self.about = about
        self.time = time
    }

    package static let fileName = "expected.json"

    package init(folder: URL) throws {
        self = try JSONDecoder().decode(
            Self.self, from: Data(contentsOf: folder.appendingPathComponent(Self.fileName)))
    }

    package func write(to folder: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: folder.appendingPathComponent(Self.fileName))
    }

    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    package static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
    }
}
