import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The calls of SecImportExport, for Swift and for C alike.
package enum ImportExportCalls {
    /// What goes with keys, as far as it means something here.
    package struct KeyParameters {
        package var flags: SecKeyImportExportFlags = []
        package var passphrase: QueryValue?
        /// Who may use keys that are stored.
        package var access: AccessObject?
        /// Whether the bytes of private keys that are stored may leave the keychain.
        package var isExtractable = true

        package init() {}

        /// - Parameter attributes: `kSecAttrIsExtractable` and others, of which one that is missing is false; nil for the default.
        /// - Throws: `errSecParam` for another version, `errSecUnimplemented` for a passphrase that a dialog is to ask for.
        package init(
            version: UInt32, flags: SecKeyImportExportFlags, passphrase: QueryValue?, access: AccessObject? = nil,
            attributes: QueryValue? = nil
        ) throws(KeychainError) {
            guard version == UInt32(SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION) else {
                throw KeychainError(.param, "the parameters of keys have version \(version), and not 0")
            }
            guard !flags.contains(.securePassphrase) || passphrase != nil else {
                throw KeychainError(.unimplemented, "no dialog asks for a passphrase here: give it with the call")
            }
            self.flags = flags
            self.passphrase = passphrase
            self.access = flags.contains(.noAccessControl) ? .open : access
            guard let attributes else { return }
            guard case .array(let names) = attributes else {
                throw KeychainError(.param, "the attributes of keys are no array")
            }
            isExtractable = names.contains { name in
                if case .text(AttributeKey.isExtractable.name) = name { true } else { false }
            }
        }

        /// - Parameter keyAttributes: of CSSM; 0 for the default, beside where a key is returned.
        /// - Throws: the same.
        package init(
            version: UInt32, flags: SecKeyImportExportFlags, passphrase: QueryValue?, access: AccessObject?,
            keyAttributes: UInt32
        ) throws(KeychainError) {
            try self.init(version: version, flags: flags, passphrase: passphrase, access: access)
            let attributes = keyAttributes & ~Self.whereReturned
            isExtractable = attributes == 0 || attributes & Self.extractable != 0
        }

        /// `CSSM_KEYATTR_EXTRACTABLE`
        private static let extractable: UInt32 = 0x20
        /// `CSSM_KEYATTR_RETURN_DATA`, `…_REF` and `…_NONE`
        private static let whereReturned: UInt32 = 0x7000_0000

        func secret() throws(KeychainError) -> SecretBytes? {
            guard let passphrase else { return nil }
            return try ImportExportCalls.passphrase(passphrase)
        }
    }

    /// What was in a file.
    package struct Imported {
        package let format: ExternalFormat
        package let kind: ExternalKind
        package let things: [ImportedThing]
    }

    /// `SecItemImport`: into memory, and from there into a keychain where one is given.
    ///
    /// - Throws: `errSecUnknownFormat`, `errSecDecode`, `errSecPassphraseRequired`, `errSecAuthFailed` and the like as the file is;
    ///   `errSecMultiplePrivKeys` for more than one private key where one is allowed.
    package static func read(
        _ data: QueryValue, format: UInt32?, kind: UInt32?, _ parameters: KeyParameters,
        into keychain: SecKeychain? = nil
    ) throws(KeychainError) -> Imported {
        let bytes = try bytes(data)
        guard let format = ExternalFormat(rawValue: UInt8(clamping: format ?? 0)),
            let kind = ExternalKind(rawValue: UInt8(clamping: kind ?? 0))
        else { throw KeychainError(.param, "there is no such format, or no such kind of item") }
        let content = try KeychainClient.shared.read(
            ExternalFile(
                bytes, format: format, kind: kind,
                passphrase: try parameters.secret()))
        let keys = content.items.filter { $0.kind == .privateKey }.count
        guard keys <= 1 || !parameters.flags.contains(.importOnlyOne) else {
            throw KeychainError(.multiplePrivateKeys, "there are \(keys) private keys, and one alone is allowed")
        }
        let things = content.format == .pkcs12 ? try paired(content.items) : try things(content.items)
        return Imported(
            format: content.format, kind: content.kind,
            things: try keychain.map { (keychain) throws(KeychainError) in
                try ImportIntoKeychain(keychain, parameters).store(things)
            } ?? things)
    }

    private static func things(_ items: [ExternalItem]) throws(KeychainError) -> [ImportedThing] {
        var things: [ImportedThing] = []
        for item in items { things.append(try item.thing()) }
        return things
    }

    /// Of PKCS#12: identities in the place of keys and their certificates, and then what is left.
    private static func paired(_ items: [ExternalItem]) throws(KeychainError) -> [ImportedThing] {
        let identities = try PKCS12Calls.identities(of: items).map(\.identity)
        var left: [ImportedThing] = []
        for item in items {
            let thing = try item.thing()
            let isPaired = identities.contains { identity in
                switch thing {
                case .certificate(let certificate): identity.certificate == certificate
                case .key(let key): identity.privateKey == key
                case .identity: false
                }
            }
            if !isPaired { left.append(thing) }
        }
        return identities.map { .identity($0) } + left
    }

    /// `SecItemExport`.
    ///
    /// - Throws: `errSecParam` for what does not fit the format, `errSecUnsupportedFormat`, `errSecPassphraseRequired`, and what exporting a key fails with.
    package static func write(
        _ things: [ImportedThing], format: UInt32, _ flags: SecItemImportExportFlags, _ parameters: KeyParameters
    ) throws(KeychainError) -> ResultTree {
        guard let format = ExternalFormat(rawValue: UInt8(clamping: format)) else {
            throw KeychainError(.param, "there is no such format")
        }
        var items: [ExternalItem] = []
        for thing in things { items += try thing.externalItems() }
        let passphrase = try parameters.secret()
        let isWrapped = format == .wrappedPKCS8 || format == .wrappedOpenSSL || format == .pkcs12
        guard !isWrapped || passphrase != nil else { throw FormatFailure.passphraseRequired.error }
        guard items.count <= FormatLimits.maximumItems else { throw FormatFailure.tooManyItems.error }
        return .secret(
            try KeychainClient.shared.write(
                ExternalOrder(
                    items, format: format, isArmoured: flags.contains(.pemArmour), passphrase: passphrase)))
    }

    // MARK: Arguments

    static func bytes(_ data: QueryValue) throws(KeychainError) -> SecretBytes {
        let bytes: SecretBytes
        switch data {
        case .secret(let secret): bytes = secret
        case .data(let data): bytes = SecretBytes(data)
        default: throw KeychainError(.param, "what is to be imported is no data")
        }
        guard bytes.count <= FormatLimits.maximumFileBytes else { throw FormatFailure.tooLarge.error }
        return bytes
    }

    /// A text, or data.
    static func passphrase(_ value: QueryValue) throws(KeychainError) -> SecretBytes {
        let bytes: SecretBytes
        switch value {
        case .text(let text): bytes = SecretBytes(text.utf8)
        case .secret(let secret): bytes = secret
        case .data(let data): bytes = SecretBytes(data)
        default: throw KeychainError(.param, "the passphrase is neither a string nor data")
        }
        guard bytes.count <= FormatLimits.maximumPassphraseBytes else {
            throw KeychainError(.param, "a passphrase has at most \(FormatLimits.maximumPassphraseBytes) bytes")
        }
        return bytes
    }
}
