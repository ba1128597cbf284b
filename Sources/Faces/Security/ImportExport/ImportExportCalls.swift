import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The import and export calls, for Swift and for C alike.
package enum ImportExportCalls {
    /// The parameters for keys, as far as they have an effect here.
    package struct KeyParameters {
        package var flags: SecKeyImportExportFlags = []
        package var passphrase: QueryValue?
        /// The text of the dialog that asks for the passphrase; nil where no person is to be asked.
        package var question: OperationPrompt?
        /// The access object of stored keys.
        package var access: AccessObject?
        /// Whether the bytes of stored private keys may leave the keychain.
        package var isExtractable = true
        /// What stored keys are meant for.
        private(set) var uses: KeyUses?

        package init() {}

        /// - Parameter attributes: `kSecAttrIsExtractable` and others, nil for the default; a missing attribute is
        ///   false.
        /// - Parameter usage: `kSecAttrCanSign` and others, nil for the uses of each key's kind.
        /// - Parameter words: title and text of the dialog that asks for the passphrase, where the flags request one.
        /// - Throws: `errSecParam` for another version, and for uses that are none.
        package init(
            version: UInt32, flags: SecKeyImportExportFlags, passphrase: QueryValue?, words: [QueryValue?] = [],
            access: AccessObject? = nil, usage: QueryValue? = nil, attributes: QueryValue? = nil
        ) throws(KeychainError) {
            guard version == UInt32(SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION) else {
                throw KeychainError(.param, "the parameters of keys have version \(version), and not 0")
            }
            self.flags = flags
            // With a given passphrase, no person is asked.
            if flags.contains(.securePassphrase), passphrase == nil { question = Self.question(words) }
            self.passphrase = passphrase
            self.access = flags.contains(.noAccessControl) ? .open : access
            uses = try KeyUses(names: usage)
            guard let attributes else { return }
            guard case .array(let names) = attributes else {
                throw KeychainError(.param, "the attributes of keys are no array")
            }
            isExtractable = names.contains { name in
                if case .text(AttributeKey.isExtractable.name) = name { true } else { false }
            }
        }

        /// - Parameter keyUsage: CSSM's uses of keys; 0 for those of each key's kind.
        /// - Parameter keyAttributes: CSSM's attributes of keys; 0 for the default. The bits that say where a key is
        ///   returned are ignored.
        /// - Throws: `errSecParam` for another version, and for uses that are none.
        package init(
            version: UInt32, flags: SecKeyImportExportFlags, passphrase: QueryValue?, words: [QueryValue?],
            access: AccessObject?, keyUsage: UInt32, keyAttributes: UInt32
        ) throws(KeychainError) {
            try self.init(version: version, flags: flags, passphrase: passphrase, words: words, access: access)
            uses = try KeyUses(bits: keyUsage)
            let attributes = keyAttributes & ~Self.whereReturned
            isExtractable = attributes == 0 || attributes & Self.extractable != 0
        }

        /// `CSSM_KEYATTR_EXTRACTABLE`
        private static let extractable: UInt32 = 0x20
        /// `CSSM_KEYATTR_RETURN_DATA`, `…_REF` and `…_NONE`
        private static let whereReturned: UInt32 = 0x7000_0000

        /// Joins the texts of a dialog and leaves out values that are no text.
        private static func question(_ words: [QueryValue?]) -> OperationPrompt {
            let texts = words.compactMap { value -> String? in
                if case .text(let text)? = value, !text.isEmpty { text } else { nil }
            }
            return OperationPrompt(texts.joined(separator: ": "))
        }

        /// The question, nil where this process forbids to ask a person.
        fileprivate var admitted: OperationPrompt? { UserInteraction.isAllowed ? question : nil }

        fileprivate func told(_ error: KeychainError) -> KeychainError {
            guard error.status == .passphraseRequired, question != nil, admitted == nil else { return error }
            return KeychainError(
                .interactionNotAllowed, "a person has to give the passphrase, and the program forbids to ask")
        }

        func secret() throws(KeychainError) -> SecretBytes? {
            guard let passphrase else { return nil }
            return try ImportExportCalls.passphrase(passphrase)
        }
    }

    /// The content of an imported file.
    package struct Imported {
        package let format: ExternalFormat
        package let kind: ExternalKind
        package let things: [ImportedThing]
    }

    /// `SecItemImport`: reads a file into memory, and stores its content in a keychain if one is given.
    ///
    /// - Throws: `errSecUnknownFormat`, `errSecDecode`, `errSecPassphraseRequired`, `errSecAuthFailed` and others,
    ///   depending on the file. `errSecMultiplePrivKeys` for more than one private key with
    ///   ``SecKeyImportExportFlags/importOnlyOne``.
    package static func read(
        _ data: QueryValue, format: UInt32?, kind: UInt32?, _ parameters: KeyParameters,
        into keychain: SecKeychain? = nil
    ) throws(KeychainError) -> Imported {
        let bytes = try bytes(data)
        guard let format = ExternalFormat(rawValue: UInt8(clamping: format ?? 0)),
            let kind = ExternalKind(rawValue: UInt8(clamping: kind ?? 0))
        else { throw KeychainError(.param, "there is no such format, or no such kind of item") }
        let file = ExternalFile(bytes, format: format, kind: kind, passphrase: try parameters.secret())
        let content: ExternalContent
        do throws(KeychainError) {
            content = try KeychainClient.shared.read(file, asking: parameters.admitted)
        } catch { throw parameters.told(error) }
        let keys = content.items.filter { $0.kind == .privateKey }.count
        guard keys <= 1 || !parameters.flags.contains(.importOnlyOne) else {
            throw KeychainError(.multiplePrivateKeys, "there are \(keys) private keys, and one alone is allowed")
        }
        let things = content.format == .pkcs12 ? try paired(content.items) : try things(content.items)
        return Imported(
            format: content.format, kind: content.kind,
            things: try keychain.map { (keychain) throws(KeychainError) in
                try ImportIntoKeychain(keychain, parameters).store(things)
            } ?? things.map(\.thing))
    }

    private static func things(_ items: [ExternalItem]) throws(KeychainError) -> [NamedThing] {
        var things: [NamedThing] = []
        for item in items { things.append(NamedThing(thing: try item.thing())) }
        return things
    }

    /// The content of a PKCS#12 file: keys and their certificates as identities, then the remaining items.
    private static func paired(_ items: [ExternalItem]) throws(KeychainError) -> [NamedThing] {
        let identities = try PKCS12Calls.identities(of: items)
        var left: [NamedThing] = []
        for item in items {
            let thing = try item.thing()
            let isPaired = identities.map(\.identity).contains { identity in
                switch thing {
                case .certificate(let certificate): identity.certificate == certificate
                case .key(let key): identity.privateKey == key
                case .identity: false
                }
            }
            if !isPaired { left.append(NamedThing(thing: thing, label: item.label)) }
        }
        return identities.map { NamedThing(thing: .identity($0.identity), label: $0.label) } + left
    }

    /// `SecItemExport`.
    ///
    /// - Throws: `errSecParam` for objects that do not fit the format, `errSecUnsupportedFormat`,
    ///   `errSecPassphraseRequired`, and the errors of exporting a key.
    package static func write(
        _ things: [ImportedThing], format: UInt32, _ flags: SecItemImportExportFlags, _ parameters: KeyParameters
    ) throws(KeychainError) -> ResultTree {
        guard let format = ExternalFormat(rawValue: UInt8(clamping: format)) else {
            throw KeychainError(.param, "there is no such format")
        }
        var items: [ExternalItem] = []
        for thing in things { items += try thing.externalItems() }
        let passphrase = try parameters.secret()
        let question = passphrase == nil ? parameters.admitted : nil
        guard !format.isEncrypted || passphrase != nil || question != nil else {
            throw parameters.told(FormatFailure.passphraseRequired.error)
        }
        guard items.count <= FormatLimits.maximumItems else { throw FormatFailure.tooManyItems.error }
        return .secret(
            try KeychainClient.shared.write(
                ExternalOrder(
                    items, format: format, isArmoured: flags.contains(.pemArmour), passphrase: passphrase),
                asking: question))
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

    /// Reads a passphrase, which is a text or data.
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
