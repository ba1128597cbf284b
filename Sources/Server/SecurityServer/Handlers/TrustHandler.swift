import ChatelaineIPC
import ChatelaineModel

/// Carries out requests about trust in certificates.
enum TrustHandler {
    static func evaluate(
        _ request: EvaluateTrust, _ context: inout RequestContext
    ) throws(KeychainError) -> TrustVerdict {
        let caller = context.knownCaller?.identity.executablePath.text
        return try context.services.trust.evaluate(request.question, for: caller, settings: [])
    }

    static func roots(_: ReadSystemRoots, _ context: inout RequestContext) throws(KeychainError) -> CertificateList {
        CertificateList(try context.services.trust.roots.index().roots.map(\.certificate))
    }
}
