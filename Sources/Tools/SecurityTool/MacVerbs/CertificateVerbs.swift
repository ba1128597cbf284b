import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineTrustSettings

/// `find-certificate`, `add-certificates`, `delete-certificate` and `delete-identity`.
enum CertificateVerbs {
    static func find(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let search = try CertificateSearch(arguments.operands, in: context)
        let found = try MacVerb.calling("SecKeychainSearchCopyNext") { () throws(KeychainError) in
            let found = try meant(search, arguments)
            guard arguments.has("a") || !found.isEmpty else {
                throw KeychainError(.itemNotFound, "no certificate matches")
            }
            return found
        }
        for certificate in arguments.has("a") ? found : Array(found.prefix(1)) {
            try show(certificate, arguments, context)
        }
        return ExitStatus.success
    }

    /// The certificates that the options select; only candidates are read, and none if no option concerns their
    /// content.
    private static func meant(
        _ search: CertificateSearch, _ arguments: MacArguments
    ) throws(KeychainError) -> [StoredCertificate] {
        let isAll = arguments.has("a")
        let sieve = CertificatePrefilter(name: arguments.value(of: "c"), address: arguments.value(of: "e"))
        guard sieve.name != nil || sieve.address != nil else {
            let found = try search.unread(limit: isAll ? .all : .one)
            return arguments.has("m") ? try search.read(found) : found
        }
        let candidates = try search.unread(passing: sieve)
        return try search.read(candidates) { round in !isAll && round.contains { isMeant($0, arguments) } }
            .filter { isMeant($0, arguments) }
    }

    private static func isMeant(_ certificate: StoredCertificate, _ arguments: MacArguments) -> Bool {
        if let name = arguments.value(of: "c"),
            name.isEmpty || certificate.commonName?.lowercased().contains(name.lowercased()) != true
        {
            return false
        }
        guard let address = arguments.value(of: "e") else { return true }
        return certificate.report?.emailAddresses.contains { $0.lowercased() == address.lowercased() } == true
    }

    /// Shows a certificate in Apple's order: digests, e-mail addresses, then the certificate itself.
    private static func show(
        _ certificate: StoredCertificate, _ arguments: MacArguments, _ context: ToolContext
    ) throws {
        if arguments.has("Z") { try context.output.write(try digests(certificate)) }
        if arguments.has("m") {
            let addresses = certificate.report?.emailAddresses ?? []
            try context.output.write("email addresses: \(Printable.text(addresses.joined(separator: ", ")))\n")
        }
        if arguments.has("p") { return try context.output.write(PEMFile.text(of: certificate.der)) }
        guard let item = certificate.item else { return }
        try context.write(ItemRecord(item, isForTerminal: context.output.isTerminal))
    }

    static func digests(_ certificate: StoredCertificate) throws(KeychainError) -> String {
        "SHA-256 hash: \(try certificate.digest(.sha256))\nSHA-1 hash: \(try certificate.digest(.sha1))\n"
    }

    /// Adds the certificates of all files; the exit status is 1 if one of them failed.
    static func add(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard !arguments.operands.isEmpty else { throw MacUsage() }
        let name = arguments.value(of: "k")
        let path = try name.map { name throws(MacFailure) in
            try MacVerb.calling("SecKeychainOpen", name, exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in try context.path(ofKeychain: name)
            }
        }
        var exitStatus = ExitStatus.success
        for file in arguments.operands {
            let certificates: [[UInt8]]
            do throws(ToolError) { certificates = try PEMFile.certificates(file) } catch {
                guard case .failure(let text, _) = error else { throw error }
                exitStatus = ExitStatus.failure
                context.complain(text)
                continue
            }
            for failure in add(certificates, of: file, to: path, context) {
                exitStatus = ExitStatus.failure
                if failure.error.status == .duplicateItem {
                    context.complain("\(file): already in \(name ?? "default keychain")")
                } else {
                    for line in failure.lines { context.complain(line) }
                }
            }
        }
        return exitStatus
    }

    /// Adds as many certificates as possible, and returns the failures of the others.
    private static func add(
        _ certificates: [[UInt8]], of file: String, to path: KeychainPath?, _ context: ToolContext
    ) -> [MacFailure] {
        certificates.compactMap { certificate in
            do throws(KeychainError) {
                _ = try context.keychain.add(try NewCertificate.item(certificate), to: path)
                return nil
            } catch { return MacFailure(call: "SecCertificateAddToKeychain \(file)", error: error) }
        }
    }

    /// - Parameter itemClass: certificates, or identities, whose private keys are deleted too.
    static func delete(_ itemClass: ItemClass, _ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let search = try CertificateSearch(arguments.operands, in: context)
        let function = itemClass == .identity ? "SecIdentityDelete" : "SecCertificateDelete"
        guard let text = arguments.value(of: "Z") ?? arguments.value(of: "c") else { throw MacUsage() }
        let all = try MacVerb.calling("SecKeychainSearchCopyNext", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in
            try candidates(text, isDigest: arguments.has("Z"), in: search).filter {
                itemClass == .certificate || $0.hasPrivateKey
            }
        }
        let found = try matching(all, text, isDigest: arguments.has("Z"))
        guard let certificate = found.first else {
            try context.errors.write(
                "Unable to delete \(itemClass == .identity ? "identity" : "certificate") matching \"\(Printable.text(text))\""
            )
            return ExitStatus.failure
        }
        guard found.count == 1 else {
            throw ToolError.failure("\"\(text)\" is ambiguous, matches more than one certificate")
        }
        // Trust goes first, since a person may have to allow that: no deleted certificate stays trusted.
        if arguments.has("t") { try removeTrust(in: certificate, context) }
        try MacVerb.calling(function) { () throws(KeychainError) in
            if itemClass == .identity {
                try search.deleteIdentity(certificate)
            } else if let item = certificate.item {
                try search.delete(item)
            }
        }
        return ExitStatus.success
    }

    /// Removes the user's trust settings for a certificate. If there are none, no passcode is asked for.
    private static func removeTrust(in certificate: StoredCertificate, _ context: ToolContext) throws {
        let call = "SecTrustSettingsRemoveTrustSettings"
        let isSet = try MacVerb.calling(call, exitStatus: ExitStatus.failure) { () throws(KeychainError) in
            try DomainTrustSettings(.user, of: context.keychain).all().contains { $0.certificate == certificate.der }
        }
        guard isSet else { return }
        let settings = try TrustSettingsVerbs.settings(MacArguments.none, context)
        try MacVerb.calling(call, exitStatus: ExitStatus.failure) { () throws(KeychainError) in
            try settings.remove(certificate.der)
        }
    }

    /// The certificates that a word may select, with their content.
    static func candidates(
        _ text: String, isDigest: Bool, in search: CertificateSearch
    ) throws(KeychainError) -> [StoredCertificate] {
        guard isDigest else { return try search.certificates(passing: CertificatePrefilter(name: text)) }
        var found: [StoredCertificate] = []
        for certificate in try search.unread() where try certificate.hasDigest(text) { found.append(certificate) }
        return try search.withKeys(try search.read(found))
    }

    /// The certificates with a digest, or with a part of the common name; a whole name wins over parts.
    static func matching(
        _ certificates: [StoredCertificate], _ text: String, isDigest: Bool
    ) throws(KeychainError) -> [StoredCertificate] {
        // The empty text is a part of every name.
        guard !text.isEmpty else { return [] }
        guard !isDigest else {
            var found: [StoredCertificate] = []
            for certificate in certificates where try certificate.hasDigest(text) { found.append(certificate) }
            return found
        }
        let whole = certificates.filter { $0.commonName == text }
        guard whole.isEmpty else { return whole }
        return certificates.filter { $0.commonName?.lowercased().contains(text.lowercased()) == true }
    }
}
