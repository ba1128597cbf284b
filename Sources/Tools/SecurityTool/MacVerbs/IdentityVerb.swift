import ChatelaineModel

/// `find-identity`: lists certificates with a private key, and those among them that satisfy a policy.
enum IdentityVerb {
    private struct Policy {
        let word: String
        let name: String
        let policy: TrustPolicy
    }

    private static let policies = [
        Policy(word: "basic", name: "X.509 Basic", policy: TrustPolicy(.basic)),
        Policy(word: "ssl-client", name: "SSL (client)", policy: TrustPolicy(.ssl, isClient: true)),
        Policy(word: "ssl-server", name: "SSL (server)", policy: TrustPolicy(.ssl)),
        Policy(word: "smime", name: "S/MIME", policy: TrustPolicy(.smime)),
        Policy(word: "eap", name: "EAP", policy: TrustPolicy(.eap)),
        Policy(word: "ipsec", name: "IPsec", policy: TrustPolicy(.ipsec)),
        Policy(word: "codesigning", name: "Code Signing", policy: TrustPolicy(.codeSigning)),
        Policy(word: "sys-default", name: "System Default", policy: TrustPolicy(.basic)),
        Policy(word: "sys-kerberos-kdc", name: "Kerberos KDC", policy: TrustPolicy(.pkinitServer)),
    ]
    /// The names of defects that scripts look for; other defects have their own names.
    private static let errors: [(TrustDefect, String)] = [
        (.notTrusted, "CSSMERR_TP_NOT_TRUSTED"), (.noIssuer, "CSSMERR_TP_NOT_TRUSTED"),
        (.expired, "CSSMERR_TP_CERT_EXPIRED"), (.notYetValid, "CSSMERR_TP_CERT_NOT_VALID_YET"),
        (.revoked, "CSSMERR_TP_CERT_REVOKED"), (.denied, "CSSMERR_APPLETP_TRUST_SETTING_DENY"),
        (.wrongHostName, "CSSMERR_APPLETP_HOSTNAME_MISMATCH"), (.wrongPurpose, "CSSMERR_TP_VERIFY_ACTION_FAILED"),
    ]

    static func find(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let words = arguments.values(of: "p")
        let wanted = try (words.isEmpty ? ["basic"] : words).map { (word) throws(MacUsage) in
            guard let policy = policies.first(where: { $0.word == word }) else {
                throw MacUsage("\(word) is no policy that is known here")
            }
            return policy
        }
        let search = try CertificateSearch(arguments.operands, in: context)
        let identities = try MacVerb.calling("SecIdentitySearchCreate", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in try search.identities()
        }
        let issuers = IssuerCandidates(in: search)
        for policy in wanted {
            var asked = policy.policy
            asked.name = arguments.value(of: "s")
            let judged = identities.map { ($0, problem(of: $0, issuers, asked, context)) }
            if !arguments.has("v") {
                let text = asked.name.map { " for \"\(Printable.text($0))\"" } ?? ""
                try context.output.write("\nPolicy: \(policy.name)\(text)\n  Matching identities\n")
                try show(judged, "identities found", context)
                try context.output.write("\n  Valid identities only\n")
            }
            try show(judged.filter { $0.1 == nil }, "valid identities found", context)
        }
        return ExitStatus.success
    }

    /// The defect of an identity; nil if it has none. If an evaluation fails, the list continues with the others.
    private static func problem(
        of identity: StoredCertificate, _ issuers: IssuerCandidates, _ policy: TrustPolicy, _ context: ToolContext
    ) -> String? {
        do throws(KeychainError) {
            var question = TrustQuestion(try issuers.chain(of: identity), policies: [policy])
            // A listing must not wait for servers.
            question.allowsFetching = false
            try question.checkSize()
            let verdict = try context.keychain.evaluate(question)
            return (verdict.firstDefect?.defect ?? (verdict.isTrusted ? nil : .notTrusted)).map(name)
        } catch {
            context.complain("\(Printable.text(identity.name)) was not judged: \(error.reason)")
            return name(of: error.status)
        }
    }

    private static func show(
        _ identities: [(StoredCertificate, String?)], _ what: String, _ context: ToolContext
    ) throws {
        for (index, (identity, problem)) in identities.enumerated() {
            let number = String(repeating: " ", count: max(0, 3 - "\(index + 1)".count)) + "\(index + 1)"
            let error = problem.map { " (\($0))" } ?? ""
            try context.output.write(
                "\(number)) \(try identity.digest(.sha1)) \"\(Printable.text(identity.name))\"\(error)\n")
        }
        try context.output.write("     \(identities.count) \(what)\n")
    }

    private static func name(of defect: TrustDefect) -> String {
        errors.first { $0.0 == defect }?.1 ?? name(of: defect.status)
    }

    private static func name(of status: Status) -> String {
        StatusCatalogue.entry(for: status.rawValue)?.name ?? "\(status.rawValue)"
    }
}
