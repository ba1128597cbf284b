import ChatelaineModel

/// Asks who the program at a path is, and why (`security app show`).
///
/// The reply is an ``ApplicationDescription``. Error: `errSecParam` where the path is no program on a local disk.
package struct ShowApplication: RequestMessage, Equatable {
    package typealias Reply = ApplicationDescription

    package static let name = "a question about a program"
    package static let needs = RequestNeeds.knownCaller

    package var path: String

    package init(path: String) { self.path = path }

    package var operation: Operation { .showApplication }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.read(RequestField.path)
    }
}

/// What is known about the program at a path.
package struct ApplicationDescription: Sendable, Equatable {
    /// An access group, and the source that gives it to the program.
    package struct Group: Sendable, Equatable, CBORValue {
        package enum Source: UInt8, CBORValue, CaseIterable, Sendable {
            /// The program's place in the file system.
            case place = 1
            /// `keychain-access-groups` of the signature.
            case keychainGroups = 2
            /// `application-identifier`.
            case identifier = 3
            /// `com.apple.security.application-groups`.
            case applicationGroups = 4
        }

        package var name: String
        package var source: Source

        package init(_ name: String, from source: Source) {
            self.name = name
            self.source = source
        }

        package func encode(to writer: inout CBORWriter) {
            writer.writeArray(count: 2)
            writer.write(name)
            source.encode(to: &writer)
        }

        package init(from reader: inout CBORReader) throws(CBORError) {
            try reader.readArrayHead(of: 2)
            name = try reader.readText()
            source = try Source(from: &reader)
        }
    }

    /// What the program's signature says; nil where it has no readable signature.
    package struct Signature: Sendable, Equatable {
        package var path: String
        package var team: TeamIdentifier?
        package var anchorKey: Bytes32?
        package var origin: AnchorOrigin?
        package var identifier: String?
        /// Seconds since 1970.
        package var validUntil: Int64?
        /// Why the signature is not valid; nil where it is.
        package var defect: SignatureDefect?
        package var detail = ""

        package init(path: String) { self.path = path }
    }

    package struct Adoption: Sendable, Equatable, CBORValue {
        package var group: String
        /// Seconds since 1970.
        package var date: Int64

        package init(group: String, date: Int64) { (self.group, self.date) = (group, date) }

        package func encode(to writer: inout CBORWriter) {
            writer.writeArray(count: 2)
            writer.write(group)
            writer.write(date)
        }

        package init(from reader: inout CBORReader) throws(CBORError) {
            try reader.readArrayHead(of: 2)
            (group, date) = (try reader.readText(), try reader.readInteger())
        }
    }

    package struct Change: Sendable, Equatable, CBORValue {
        package var former: Bytes32
        package var digest: Bytes32
        /// Seconds since 1970.
        package var date: Int64

        package init(former: Bytes32, digest: Bytes32, date: Int64) {
            (self.former, self.digest, self.date) = (former, digest, date)
        }

        package func encode(to writer: inout CBORWriter) {
            writer.writeArray(count: 3)
            former.encode(to: &writer)
            digest.encode(to: &writer)
            writer.write(date)
        }

        package init(from reader: inout CBORReader) throws(CBORError) {
            try reader.readArrayHead(of: 3)
            (former, digest) = (try Bytes32(from: &reader), try Bytes32(from: &reader))
            date = try reader.readInteger()
        }
    }

    /// The most groups of a signed program: groups of both kinds, and the identifier.
    static let maximumGroups = 2 * SignatureLimits.maximumGroups + 1

    package var path: String
    package var state: ApplicationState
    /// SHA-256 of the executable.
    package var digest: Bytes32
    /// Whether the program runs any code that it is given, so that whoever runs it counts as the caller.
    package var isShared = false
    /// The program's groups, the default one first.
    package var groups: [Group] = []
    package var signature: Signature?
    /// Where the items went that the program stored before it was signed; nil where they were not moved.
    package var adoption: Adoption?
    /// The last time that a person accepted another file for the program.
    package var change: Change?

    package init(path: String, state: ApplicationState, digest: Bytes32) {
        self.path = path
        self.state = state
        self.digest = digest
    }
}

extension ApplicationDescription: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case path = 0
        case state = 1
        case digest = 2
        case isShared = 3
        case groups = 4
        case signature = 5
        case adoption = 6
        case change = 7
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.path, path)
            $0.write(Field.state, state)
            $0.write(Field.digest, digest)
            $0.write(Field.isShared, isShared)
            $0.writeArray(Field.groups, groups)
            $0.write(Field.signature, signature)
            $0.write(Field.adoption, adoption)
            $0.write(Field.change, change)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(path: try map.read(Field.path), state: try map.read(Field.state), digest: try map.read(Field.digest))
        isShared = try map.read(Field.isShared)
        groups = try map.readArray(Field.groups, limit: Self.maximumGroups)
        signature = try map.readIfPresent(Field.signature)
        adoption = try map.readIfPresent(Field.adoption)
        change = try map.readIfPresent(Field.change)
        reader = try map.end()
    }
}

extension ApplicationDescription.Signature: CBORValue {
    private enum Field: UInt64, CBORField {
        case path = 0
        case team = 1
        case anchorKey = 2
        case origin = 3
        case identifier = 4
        case validUntil = 5
        case defect = 6
        case detail = 7
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.path, path)
            $0.write(Field.team, team)
            $0.write(Field.anchorKey, anchorKey)
            $0.write(Field.origin, origin)
            $0.write(Field.identifier, identifier)
            $0.write(Field.validUntil, validUntil)
            $0.write(Field.defect, defect)
            $0.write(Field.detail, detail)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(path: try map.read(Field.path))
        team = try map.readIfPresent(Field.team)
        anchorKey = try map.readIfPresent(Field.anchorKey)
        origin = try map.readIfPresent(Field.origin)
        identifier = try map.readIfPresent(Field.identifier)
        validUntil = try map.readIfPresent(Field.validUntil)
        defect = try map.readIfPresent(Field.defect)
        detail = try map.read(Field.detail)
        reader = try map.end()
    }
}
