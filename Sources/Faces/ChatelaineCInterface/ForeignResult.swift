import CChatelaineFoundation
import ChatelaineModel
import Security

/// Makes CoreFoundation's objects from a result that is already shaped.
///
/// Each object has one reference. The objects are CoreFoundation's own and not Swift's, so that a C program may treat
/// them like objects that it made itself.
enum ForeignResult {
    /// Stores the object of a result at the caller's pointer, and a null pointer where there is no result.
    static func put(_ tree: ResultTree?, at place: UnsafeMutablePointer<UnsafeRawPointer?>?) throws(KeychainError) {
        guard let place else { return }
        guard let tree else { return place.pointee = nil }
        place.pointee = try make(tree)
    }

    static func make(_ tree: ResultTree) throws(KeychainError) -> UnsafeRawPointer {
        guard let object = object(tree) else { throw KeychainError(.allocate, "there is no memory for the result") }
        return object
    }

    static func text(_ text: String) -> UnsafeRawPointer? {
        var text = text
        return text.withUTF8 { chatelaine_make_text($0.baseAddress, $0.count) }
    }

    /// The error object of a failed call; nil where there is no memory.
    static func error(_ error: KeychainError) -> UnsafeRawPointer? {
        guard let description = text(error.reason) else { return nil }
        let status = Int(error.status.rawValue)
        guard let failure = error.authentication else { return chatelaine_make_error(status, description) }
        guard let domain = text(AuthenticationFailure.domain) else { return release([description]) }
        return chatelaine_make_authentication_error(domain, failure.code, description, status)
    }

    private static func object(_ tree: ResultTree) -> UnsafeRawPointer? {
        switch tree {
        case .secret(let secret): secret.withUnsafeBytes { chatelaine_make_data($0.baseAddress, $0.count) }
        case .text(let text): self.text(text)
        case .data(let data): data.withUnsafeBytes { chatelaine_make_data($0.baseAddress, $0.count) }
        case .number(let number): chatelaine_make_number(number)
        case .flag(let flag): chatelaine_make_flag(flag)
        case .real(let number): chatelaine_make_real(number)
        case .date(let seconds): chatelaine_make_date(seconds)
        case .accessControl(let control): BoxType.accessControl.make(SecAccessControl(control))
        case .reference(let reference): BoxType.keychainItem.make(SecKeychainItem(reference))
        case .key(let key): BoxType.key.make(SecKey(key))
        case .symmetricKey(let key): BoxType.key.make(SecKey(key))
        case .keychainItem(let handle): BoxType.keychainItem.make(SecKeychainItem(handle))
        case .certificate(let der, let handle): BoxType.certificate.make(SecCertificate(der: der, at: handle))
        case .identity(let der, let key, let handle): BoxType.identity.make(SecIdentity(der, key, at: handle))
        case .policy(let policy): BoxType.policy.make(SecPolicy(policy))
        case .trustedApplication(let application): BoxType.trustedApplication.make(SecTrustedApplication(application))
        case .dictionary(let pairs): dictionary(pairs)
        case .array(let elements): array(elements)
        }
    }

    private static func dictionary(_ pairs: [(key: String, value: ResultTree)]) -> UnsafeRawPointer? {
        var keys: [UnsafeRawPointer?] = []
        var values: [UnsafeRawPointer?] = []
        keys.reserveCapacity(pairs.count)
        values.reserveCapacity(pairs.count)
        for (key, value) in pairs {
            guard let key = text(key) else { return release(keys + values) }
            keys.append(key)
            guard let value = object(value) else { return release(keys + values) }
            values.append(value)
        }
        return chatelaine_make_dictionary(&keys, &values, keys.count)
    }

    private static func array(_ elements: [ResultTree]) -> UnsafeRawPointer? {
        var objects: [UnsafeRawPointer?] = []
        objects.reserveCapacity(elements.count)
        for element in elements {
            guard let object = object(element) else { return release(objects) }
            objects.append(object)
        }
        return chatelaine_make_array(&objects, objects.count)
    }

    /// Releases the parts of a result that cannot be finished.
    private static func release(_ objects: [UnsafeRawPointer?]) -> UnsafeRawPointer? {
        for object in objects { chatelaine_release(object) }
        return nil
    }
}
