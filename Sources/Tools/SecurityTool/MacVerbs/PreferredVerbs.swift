import ChatelaineIPC
import ChatelaineIdentityPreferences
import ChatelaineModel

/// `set-identity-preference` and `get-identity-preference`.
enum PreferredVerbs {
    static func set(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard let name = arguments.value(of: "s") else { throw MacUsage() }
        let preferences = IdentityPreferences(.identity, usage: try usage(arguments), of: context.keychain)
        if arguments.has("n") {
            try MacVerb.calling("SecIdentitySetPreferred") { () throws(KeychainError) in try preferences.remove(name) }
            return ExitStatus.success
        }
        guard let text = arguments.value(of: "Z") ?? arguments.value(of: "c") else { throw MacUsage() }
        let search = try CertificateSearch(arguments.operands, in: context)
        let found = try MacVerb.calling("SecKeychainSearchCopyNext", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in
            let isDigest = arguments.has("Z")
            return try CertificateVerbs.matching(
                try CertificateVerbs.candidates(text, isDigest: isDigest, in: search).filter(\.hasPrivateKey), text,
                isDigest: isDigest)
        }
        guard let identity = found.first, let reference = identity.item?.identityReference else {
            throw ToolError.failure("no identity found matching \"\(text)\"")
        }
        // Several keychains may have the same certificate, of which the first counts.
        guard found.allSatisfy({ $0.der == identity.der }) else {
            throw ToolError.failure("\"\(text)\" is ambiguous, matches more than one certificate")
        }
        try MacVerb.calling("SecIdentitySetPreferred") { () throws(KeychainError) in
            try preferences.set(reference, called: identity.name, for: name)
        }
        return ExitStatus.success
    }

    static func get(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard let name = arguments.value(of: "s") else { throw MacUsage() }
        let preferences = IdentityPreferences(.identity, usage: try usage(arguments), of: context.keychain)
        let search = try CertificateSearch([], in: context)
        let found = try MacVerb.calling("SecIdentityCopyPreferred") { () throws(KeychainError) in
            let reference = try preferences.reference(for: name)
            guard
                let identity = try search.certificates().first(where: {
                    $0.hasPrivateKey && $0.item?.identityReference == reference
                })
            else { throw KeychainError(.itemNotFound, "the identity that is preferred is in no keychain any more") }
            return identity
        }
        if arguments.has("c") {
            try context.output.write("common name: \"\(Printable.text(found.commonName ?? ""))\"\n")
        }
        if arguments.has("Z") { try context.output.write(try CertificateVerbs.digests(found)) }
        if arguments.has("p") {
            try context.output.write(PEMFile.text(of: found.der))
        } else if !arguments.has("c"), !arguments.has("Z"), let item = found.item {
            try context.write(ItemRecord(item, isForTerminal: context.output.isTerminal))
        }
        return ExitStatus.success
    }

    private static func usage(_ arguments: MacArguments) throws(MacUsage) -> Int64 {
        guard let text = arguments.value(of: "u") else { return 0 }
        guard let number = UInt32(text) else { throw MacUsage("\(text) is no number of uses") }
        return Int64(number)
    }
}

extension StoredItem {
    /// The persistent reference of the identity with this certificate.
    fileprivate var identityReference: [UInt8] {
        switch self {
        case .protected(let item):
            PersistentReference(itemClass: .identity, identifier: item.identifier).bytes
        case .file(let item): item.handle.naming(.identity).reference.bytes
        }
    }
}
