/// A program that an entry of an access object lets in without asking.
///
/// Apple stores a code requirement; this stores the program's identity and its assurance.
package struct TrustedApplication: Hashable, Sendable {
    /// What a program is known by.
    ///
    /// A `dev:` program has no identity, because its content changes all the time. A person is always asked about it.
    package enum Identity: Hashable, Sendable {
        /// The team's identifier for the program with the team's anchor, or the path if only root can put a program
        /// there.
        ///
        /// It outlives the file's content.
        case identifier(AccessGroup)
        /// The content of the program's file, wherever it is.
        case digest(ExecutableDigest)
        /// The `security` command. The user runs it, so it stands for every program of the user.
        case securityTool
    }

    package var identity: Identity
    /// The assurance of the identity at the time of listing; a caller with a lower one does not match.
    package var assurance: Assurance
    /// The path, for people.
    ///
    /// A program elsewhere with the same identity is the same program. A program at this path with another identity has
    /// changed.
    package var path: ExactText

    package init(_ identity: Identity, _ assurance: Assurance, at path: ExactText) {
        self.identity = identity
        self.assurance = assurance
        self.path = path
    }
}

extension TrustedApplication.Identity {
    /// The scheme before the path in the identifier of a root-only program, an ``AccessGroup`` (decision 2).
    private static let pathScheme = "path:/"

    /// Refuses an identifier that a user could give to any program.
    var isWellFormed: Bool {
        guard case .identifier(let identifier) = self else { return true }
        return identifier.text.utf8.count <= ACLLimits.identifierBytes
            && (identifier.isOfTeam || identifier.text.utf8.starts(with: Self.pathScheme.utf8))
    }
}

extension TrustedApplication.Identity: CBORValue {
    private enum Kind: UInt8, CBORValue {
        case identifier = 1
        case digest = 2
        case securityTool = 3
    }

    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .identifier(let identifier):
            writer.writeArray(count: 2)
            Kind.identifier.encode(to: &writer)
            identifier.encode(to: &writer)
        case .digest(let digest):
            writer.writeArray(count: 2)
            Kind.digest.encode(to: &writer)
            digest.encode(to: &writer)
        case .securityTool:
            writer.writeArray(count: 1)
            Kind.securityTool.encode(to: &writer)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        let count = try reader.readArrayCount(limit: 2)
        guard count > 0 else { throw .missingField }
        switch (try Kind(from: &reader), count) {
        case (.identifier, 2): self = .identifier(try AccessGroup(from: &reader))
        case (.digest, 2): self = .digest(try ExecutableDigest(from: &reader))
        case (.securityTool, 1): self = .securityTool
        default: throw .unexpectedType
        }
        guard isWellFormed else { throw .outOfRange }
    }
}

extension TrustedApplication: CBORValue {
    private enum Field: UInt64, CBORField {
        case identity = 1
        case assurance = 2
        case path = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.identity, identity)
            $0.write(Field.assurance, assurance)
            $0.write(Field.path, path)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        identity = try map.read(Field.identity)
        assurance = try map.read(Field.assurance)
        path = try map.read(Field.path)
        guard path.byteCount <= ACLLimits.pathBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}

// MARK: The external form

extension TrustedApplication {
    private enum ExternalField: UInt64, CBORField {
        case version = 1
        case application = 2
    }

    private static let externalVersion: UInt64 = 1

    /// The form that `SecTrustedApplicationCopyData` returns, from which ``init(external:)`` makes an equal value.
    package var external: [UInt8] {
        var writer = CBORWriter()
        writer.writeMap {
            $0.write(ExternalField.version, Self.externalVersion)
            $0.write(ExternalField.application, self)
        }
        return writer.finishArray()
    }

    /// - Throws: `errSecParam` for bytes that are not an external form.
    package init(external bytes: [UInt8]) throws(KeychainError) {
        guard bytes.count <= ACLLimits.externalBytes else { throw Self.noExternalForm }
        let read = bytes.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in
                var map = try CBORMap(CBORReader(bytes))
                let version: UInt64 = try map.read(ExternalField.version)
                guard version == Self.externalVersion else { throw .unsupported }
                let application: TrustedApplication = try map.read(ExternalField.application)
                try map.end().finish()
                return application
            }
        }
        guard case .success(let application) = read else { throw Self.noExternalForm }
        self = application
    }

    private static var noExternalForm: KeychainError {
        KeychainError(
            .param,
            "the data are no trusted application: take them from SecTrustedApplicationCopyData, unchanged")
    }
}
