import ChatelaineModel
import Foundation

/// Makes Foundation's objects from a result that is already shaped.
enum ResultObject {
    static func make(_ tree: ResultTree) -> AnyObject {
        var keys = Keys()
        return make(tree, &keys)
    }

    /// The keys of the dictionary that was made last.
    ///
    /// The next one takes the same objects if it has the same keys, as the hits of a listing have.
    private struct Keys {
        private var names: [String] = []
        private var objects: [NSObject] = []

        mutating func objects(of pairs: [(key: String, value: ResultTree)]) -> [NSObject] {
            if names.count != pairs.count || !pairs.indices.allSatisfy({ names[$0] == pairs[$0].key }) {
                names = pairs.map { $0.key }
                objects = names.map { NSString(string: $0) }
            }
            return objects
        }
    }

    private static func make(_ tree: ResultTree, _ keys: inout Keys) -> AnyObject {
        switch tree {
        case .secret(let secret): secret.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) }
        case .text(let text): NSString(string: text)
        case .data(let data): data.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) }
        case .number(let number): NSNumber(value: number)
        case .flag(let flag): NSNumber(value: flag)
        case .real(let number): NSNumber(value: number)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .accessControl(let control): SecAccessControl(control)
        case .reference(let reference): SecKeychainItem(reference)
        case .key(let key): SecKey(key)
        case .symmetricKey(let key): SecKey(key)
        case .keychainItem(let handle): SecKeychainItem(handle)
        case .certificate(let der, let handle): SecCertificate(der: der, at: handle)
        case .identity(let der, let key, let handle): SecIdentity(der, key, at: handle)
        case .policy(let policy): SecPolicy(policy)
        case .trustedApplication(let application): SecTrustedApplication(application)
        case .dictionary(let pairs): dictionary(pairs, &keys)
        case .array(let elements): array(elements, &keys)
        }
    }

    /// The error object of a failed call: that of a failed authentication in the domain of `LAError`, with the status
    /// as the error beneath it. Beneath the error of a chain there is one that names all defects.
    static func error(_ error: KeychainError) -> NSError {
        var described: [String: Any] = [NSLocalizedDescriptionKey: error.reason]
        if let details = error.details {
            described[NSUnderlyingErrorKey] = NSError(
                domain: NSOSStatusErrorDomain, code: CFIndex(error.status.rawValue),
                userInfo: [NSLocalizedDescriptionKey: details])
        }
        let object = NSError(
            domain: NSOSStatusErrorDomain, code: CFIndex(error.status.rawValue), userInfo: described)
        guard let failure = error.authentication else { return object }
        described[NSUnderlyingErrorKey] = object
        return NSError(domain: AuthenticationFailure.domain, code: failure.code, userInfo: described)
    }

    /// The error object with code 0, for callers that receive an error object even on success.
    static var noError: NSError { NSError(domain: NSOSStatusErrorDomain, code: 0) }

    // Foundation's initializers that take pointers use the objects as they are. The others look at the type of each
    // again, which takes longer than making it.

    private static func array(_ elements: [ResultTree], _ keys: inout Keys) -> NSArray {
        // SAFETY: the buffer has as many objects, which the array retains.
        elements.map { make($0, &keys) }.withUnsafeBufferPointer { NSArray(objects: $0.baseAddress, count: $0.count) }
    }

    private static func dictionary(
        _ pairs: [(key: String, value: ResultTree)], _ keys: inout Keys
    ) -> NSDictionary {
        let values = pairs.map { make($0.value, &keys) }
        return keys.objects(of: pairs).withUnsafeBufferPointer { keys in
            // SAFETY: both buffers have `pairs.count` objects, which the dictionary retains.
            values.withUnsafeBufferPointer {
                NSDictionary(objects: $0.baseAddress, forKeys: keys.baseAddress, count: keys.count)
            }
        }
    }
}
