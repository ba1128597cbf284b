import ChatelaineModel

@testable import CallerIdentity

/// Decisions without a passcode, in one step.
extension ApplicationLedger {
    func accept(_ path: CanonicalPath, digest: ExecutableDigest) throws(KeychainError) {
        try carryOut(.accept(path, digest))
    }

    @discardableResult
    func develop(_ path: String) throws(KeychainError) -> CanonicalPath {
        let decision = try declaration(of: path)
        guard let record = try carryOut(decision) else { throw KeychainError(.internalComponent, "no record") }
        return record.path
    }

    @discardableResult
    func forget(_ path: String) throws(KeychainError) -> ApplicationRecord {
        guard let record = try carryOut(withdrawal(of: path)) else {
            throw KeychainError(.internalComponent, "no record")
        }
        return record
    }
}

extension IdentityResolver {
    func accept(_ path: String) throws(KeychainError) { try ledger.carryOut(acceptance(of: path)) }
}
