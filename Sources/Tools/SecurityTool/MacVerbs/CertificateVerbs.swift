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

    /// Of many certificates those alone are read that may be meant, and none where nothing is said of what is in them.
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

    /// In Apple's order: digests, addresses, and then the certificate itself.
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

    /// Tries all files, and ends with 1 where one of them failed.
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

    /// Adds those that can be, and says why others cannot.
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

    /// - Parameter itemClass: certificates, or identities, whose keys go with them.
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
        // First, as a person may have to allow it: nothing is left that is trusted and not there.
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

    /// Removes what the user has set about trust in a certificate. Where that is nothing, nobody is asked for a passcode.
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

    /// Those that a word may mean, with what is in them.
    static func candidates(
        _ text: String, isDigest: Bool, in search: CertificateSearch
    ) throws(KeychainError) -> [StoredCertificate] {
        guard isDigest else { return try search.certificates(passing: CertificatePrefilter(name: text)) }
        var found: [StoredCertificate] = []
        for certificate in try search.unread() where try certificate.hasDigest(text) { found.append(certificate) }
        return try search.withKeys(try search.read(found))
    }

    /// By a digest, or by a part of the common name; a whole name wins over parts.
    static func matching(
        _ certificates: [StoredCertificate], _ text: String, isDigest: Bool
    ) throws(KeychainError) -> [StoredCertificate] {
        // Every name has an empty part.
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
