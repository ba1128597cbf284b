import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineTrustSettings

/// `add-trusted-cert`, `remove-trusted-cert` and `dump-trust-settings`.
enum TrustSettingsVerbs {
    static func add(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard !arguments.operands.isEmpty else { throw MacUsage() }
        if arguments.has("U"), !arguments.has("d") {
            throw MacUsage("-U is for the machine\u{2019}s settings: give -d, too")
        }
        let constraints = try constraints(arguments)
        guard !arguments.has("U") || constraints.isEmpty else {
            throw MacUsage("-U has these tools trust for everything: leave out what limits or denies that")
        }
        let isOfFile = arguments.has("i") || arguments.has("o")
        guard !isOfFile || arguments.has("o") && !arguments.has("d") else {
            throw MacUsage("settings that -i reads are written to the file of -o, and to no domain")
        }
        // Read once: a pipe has its content once, and what is checked is what is trusted.
        let certificates = try arguments.operands.flatMap { try PEMFile.certificates($0) }
        try checkResults(constraints, of: certificates, context)
        try addToKeychain(certificates, arguments, context)
        if isOfFile { return try TrustFileVerbs.add(constraints, of: certificates, arguments, context) }
        let settings = try settings(arguments, context)
        // A certificate that cannot be removed from the distribution's tools does not stop the others.
        var failure: (any Error)?
        for certificate in certificates {
            try alone(arguments) {
                try changing { () throws(KeychainError) in try settings.set(constraints, of: certificate) }
                do {
                    if arguments.has("U") {
                        try DistributionTrust().add(certificate)
                    } else if arguments.has("d"), !constraints.isEmpty {
                        try DistributionTrust().remove([certificate])
                    }
                } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
        return ExitStatus.success
    }

    /// A result that is not for a certificate is reported before anything is changed, and before a passcode is asked
    /// for.
    private static func checkResults(
        _ constraints: [TrustConstraint], of certificates: [[UInt8]], _ context: ToolContext
    ) throws {
        for certificate in certificates {
            try changing { () throws(KeychainError) in
                try TrustResultRule.check(constraints, of: certificate, context.keychain)
            }
        }
    }

    /// Adds the certificates to the keychain of `-k`; existing ones stay.
    private static func addToKeychain(
        _ certificates: [[UInt8]], _ arguments: MacArguments, _ context: ToolContext
    ) throws {
        guard let name = arguments.value(of: "k") else { return }
        let path = try MacVerb.calling("SecKeychainOpen", name, exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in try context.path(ofKeychain: name)
        }
        for certificate in certificates {
            try MacVerb.calling("SecCertificateAddToKeychain", exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in
                do throws(KeychainError) {
                    _ = try context.keychain.add(try NewCertificate.item(certificate), to: path)
                } catch {
                    guard error.status == .duplicateItem else { throw error }
                }
            }
        }
    }

    static func remove(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        if arguments.has("a"), !arguments.has("d"), arguments.operands.isEmpty {
            let passcode = try passcode(context)
            try changing { () throws(KeychainError) in
                _ = try context.keychain.trustSettings(.removeAll, passcode: passcode)
            }
            return ExitStatus.success
        }
        guard !arguments.operands.isEmpty, !arguments.has("a") else { throw MacUsage() }
        let settings = try settings(arguments, context)
        for path in arguments.operands {
            for certificate in try PEMFile.certificates(path) {
                try alone(arguments) { try remove(certificate, from: settings, isMachines: arguments.has("d")) }
            }
        }
        return ExitStatus.success
    }

    /// Removes the settings, and the certificate from the distribution's tools even if there are no settings, or those
    /// of a file that was made by hand.
    private static func remove(
        _ certificate: [UInt8], from settings: DomainTrustSettings, isMachines: Bool
    ) throws {
        var left: KeychainError?
        do throws(KeychainError) { try settings.remove(certificate) } catch {
            guard isMachines, [.itemNotFound, .duplicateItem].contains(error.status) else { throw failure(error) }
            left = error
        }
        guard isMachines else { return }
        let wasGiven = try DistributionTrust().remove([certificate])
        if let left, !wasGiven || left.status == .duplicateItem { throw failure(left) }
    }

    private static func failure(_ error: KeychainError) -> MacFailure {
        MacFailure(call: "SecTrustSettingsRemoveTrustSettings", error: error, exitStatus: ExitStatus.failure)
    }

    static func dump(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let settings = try MacVerb.calling("SecTrustSettingsCopyCertificates", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) -> [TrustSetting] in
            if arguments.has("s") { return try context.keychain.systemSettings() }
            let settings = try context.keychain.trustSettings(.list(arguments.has("d") ? .admin : .user), passcode: nil)
            guard !settings.isEmpty else {
                throw KeychainError(.noTrustSettings, "nothing is set about trust in certificates")
            }
            return settings
        }
        try context.output.write(
            settings.enumerated().reduce("Number of trusted certs = \(settings.count)\n") { text, each in
                text + "Cert \(each.offset): \(Printable.text(each.element.summary))\n"
                    + lines(of: each.element.constraints)
            })
        return ExitStatus.success
    }

    private static func lines(of constraints: [TrustConstraint]) -> String {
        var text = "   Number of trust settings : \(constraints.count)\n"
        for (index, constraint) in constraints.enumerated() {
            let fields: [(String, String?)] = [
                ("Policy OID", constraint.policy.map(TrustWords.name)), ("Policy String", constraint.policyName),
                ("Application", constraint.application), ("Allowed Error", constraint.allowedError.map { "\($0)" }),
                ("Key Usage", constraint.keyUsage.map { "\($0)" }),
                ("Result Type", TrustWords.name(of: constraint.result)),
            ]
            text += "   Trust Setting \(index):\n"
            for case (let name, let value?) in fields {
                text += "      \(Columns.padded(name, to: 14)): \(Printable.text(value))\n"
            }
        }
        return text
    }

    /// One constraint for each named policy; none at all means trust as a root for everything.
    private static func constraints(_ arguments: MacArguments) throws(MacUsage) -> [TrustConstraint] {
        var common = TrustConstraint()
        if let word = arguments.value(of: "r") { common.result = try TrustWords.result(word) }
        common.application = arguments.value(of: "a")
        common.policyName = arguments.value(of: "s")
        if let word = arguments.value(of: "e") { common.allowedError = try TrustWords.error(word) }
        if let word = arguments.value(of: "u") {
            guard let number = UInt32(word) else { throw MacUsage("\(word) is no number of uses") }
            common.keyUsage = number
        }
        var constraints: [TrustConstraint] = []
        for word in arguments.values(of: "p") {
            var constraint = common
            constraint.policy = try TrustWords.policy(word)
            constraints.append(constraint)
        }
        if constraints.isEmpty { return common == TrustConstraint() ? [] : [common] }
        return constraints
    }

    /// The user's settings, or with `-d` the machine's. If there is a passcode, it is asked for once.
    ///
    /// Without a terminal securityd asks for it in a dialog.
    static func settings(_ arguments: MacArguments, _ context: ToolContext) throws -> DomainTrustSettings {
        if arguments.has("d") { return DomainTrustSettings(.admin, of: context.keychain) }
        return DomainTrustSettings(.user, of: context.keychain, passcode: try passcode(context))
    }

    private static func passcode(_ context: ToolContext) throws -> SecretBytes? {
        guard context.hasTerminal, let device = try? context.keychain.device(.state), device.hasPasscode else {
            return nil
        }
        return try PasscodeSourceOptions.ask(in: context)
    }

    /// Runs `body`; with `-d` while no other command changes the machine's settings and the distribution's files.
    static func alone(_ arguments: MacArguments, _ body: () throws -> Void) throws {
        guard arguments.has("d") else { return try body() }
        do { try MachineTrustFolder().alone(body) } catch let error as KeychainError {
            throw MacFailure(
                call: "SecTrustSettingsSetTrustSettings", error: error, exitStatus: ExitStatus.failure)
        }
    }

    private static func changing(_ body: () throws(KeychainError) -> Void) throws(MacFailure) {
        try MacVerb.calling("SecTrustSettingsSetTrustSettings", exitStatus: ExitStatus.failure, body)
    }
}

extension KeychainService {
    /// The distribution's certificates as settings; an evaluation gives the name of each.
    fileprivate func systemSettings() throws(KeychainError) -> [TrustSetting] {
        var settings: [TrustSetting] = []
        for certificate in try systemRoots() {
            var question = TrustQuestion([certificate], policies: [TrustPolicy(.basic)])
            question.hasOwnAnchorsOnly = true
            question.allowsFetching = false
            let summary = try evaluate(question).chain.first?.summary ?? ""
            settings.append(TrustSetting(certificate: certificate, subject: [], summary: summary, modified: 0))
        }
        return settings
    }
}
