import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// `add-trusted-cert`, `remove-trusted-cert` and `dump-trust-settings`.
enum TrustSettingsVerbs {
    static func add(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard !arguments.operands.isEmpty else { throw MacUsage() }
        if arguments.has("U"), !arguments.has("d") {
            throw MacUsage("-U is for the machine\u{2019}s settings: give -d, too")
        }
        let constraints = try constraints(arguments)
        for path in arguments.operands {
            for certificate in try PEMFile.certificates(path) {
                if arguments.has("d") {
                    let file = MachineTrust(context)
                    try file.add(certificate, constraints, named: path)
                    if arguments.has("U") { try file.tellDistribution(of: certificate) }
                } else {
                    try change(.set(certificate: certificate, constraints), context)
                }
            }
        }
        return ExitStatus.success
    }

    static func remove(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        if arguments.has("a"), !arguments.has("d"), arguments.operands.isEmpty {
            try change(.removeAll, context)
            return ExitStatus.success
        }
        guard !arguments.operands.isEmpty, !arguments.has("a") else { throw MacUsage() }
        for path in arguments.operands {
            for certificate in try PEMFile.certificates(path) {
                if arguments.has("d") {
                    try MachineTrust(context).remove(certificate)
                } else {
                    try change(.remove(certificate: certificate), context)
                }
            }
        }
        return ExitStatus.success
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

    /// One for each policy that is named; none at all means trust in a root for everything.
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

    /// Where there is a passcode, it is asked for.
    private static func change(_ command: TrustSettingsCommand, _ context: ToolContext) throws {
        var passcode: SecretBytes?
        if let device = try? context.keychain.device(.state), device.hasPasscode {
            passcode = try PasscodeSourceOptions.ask(in: context)
        }
        let given = passcode
        _ = try MacVerb.calling("SecTrustSettingsSetTrustSettings", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in try context.keychain.trustSettings(command, passcode: given)
        }
    }
}

extension KeychainService {
    /// The distribution's certificates, of which a name is told with an evaluation.
    fileprivate func systemSettings() throws(KeychainError) -> [TrustSetting] {
        var settings: [TrustSetting] = []
        for certificate in try systemRoots() {
            var question = TrustQuestion([certificate], policies: [TrustPolicy(.basic)])
            question.hasOwnAnchorsOnly = true
            let summary = try evaluate(question).chain.first?.summary ?? ""
            settings.append(TrustSetting(certificate: certificate, subject: [], summary: summary, modified: 0))
        }
        return settings
    }
}
