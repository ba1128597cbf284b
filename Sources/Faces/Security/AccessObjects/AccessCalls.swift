import ChatelaineIPC
import ChatelaineModel
import CoreFoundation

/// The `SecAccess` calls, for Swift and for C alike.
package enum AccessCalls {
    /// - Parameter trusted: nil for the calling program.
    package static func create(
        _ descriptor: QueryValue, trusted: [SecTrustedApplication]?
    ) throws(KeychainError) -> SecAccess {
        guard case .text(let descriptor) = descriptor else {
            throw KeychainError(.param, "the descriptor of an access object is no string")
        }
        let trusted = if let trusted { trusted } else { [try TrustedApplicationCalls.make(nil)] }
        let object = AccessObject.default(descriptor: descriptor, trusted: trusted.map(\.application))
        try object.validate()
        return SecAccess(object)
    }

    /// The entries that give a right; nil where none does, or where `tag` is no right.
    package static func acls(of access: SecAccess, matching tag: QueryValue) -> [SecACL]? {
        guard case .text(let constant) = tag else { return nil }
        let acls = access.acls(authorizing: ACLAuthorization(constant: constant))
        return acls.isEmpty ? nil : acls
    }

    static func applications(_ list: CFArray) throws(KeychainError) -> [SecTrustedApplication] {
        guard list.count <= ACLLimits.applications else { throw tooMany }
        var applications: [SecTrustedApplication] = []
        for index in 0..<list.count {
            guard let application = list.storedObject(at: index) as? SecTrustedApplication else { throw noApplication }
            applications.append(application)
        }
        return applications
    }

    package static var tooMany: KeychainError {
        KeychainError(.dataTooLarge, "a list has \(ACLLimits.applications) applications at the most")
    }

    static var noApplication: KeychainError {
        KeychainError(.param, "a list of applications holds something else than SecTrustedApplication objects")
    }
}
