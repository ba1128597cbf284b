import ChatelaineModel

@testable import CallerIdentity

extension CanonicalPath: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        guard let path = CanonicalPath(text) else { preconditionFailure("\(text) is no canonical path") }
        self = path
    }
}

extension ApplicationLedger {
    func evaluate(_ path: String, digest: ExecutableDigest) -> ApplicationState {
        evaluate("\(path)" as CanonicalPath, digest: digest)
    }

    func pin(_ path: String, digest: ExecutableDigest) throws {
        try pin("\(path)" as CanonicalPath, digest: digest)
    }

    func accept(_ path: String, digest: ExecutableDigest) throws {
        try accept("\(path)" as CanonicalPath, digest: digest)
    }
}
