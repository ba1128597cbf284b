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
        var keys = Keys()
        guard let object = object(tree, &keys) else {
            throw KeychainError(.allocate, "there is no memory for the result")
        }
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
        guard error.authentication != nil || error.details != nil else {
            return chatelaine_make_error(status, description)
        }
        guard let details = text(error.details ?? error.reason) else { return release([description]) }
        guard let failure = error.authentication else {
            return chatelaine_make_nested_error(nil, status, description, status, details)
        }
        guard let domain = text(AuthenticationFailure.domain) else { return release([description, details]) }
        return chatelaine_make_nested_error(domain, failure.code, description, status, details)
    }

    /// The keys of the dictionary that was made last.
    ///
    /// The next one takes the same objects if it has the same keys, as the hits of a listing have.
    private struct Keys: ~Copyable {
        private var names: [String] = []
        private var objects: [UnsafeRawPointer?] = []

        deinit { for object in objects { chatelaine_release(object) } }

        /// The keys of a dictionary, with a reference each for the caller; nil if there is no memory.
        mutating func objects(of pairs: [(key: String, value: ResultTree)]) -> [UnsafeRawPointer?]? {
            if names.count != pairs.count || !pairs.indices.allSatisfy({ names[$0] == pairs[$0].key }) {
                for object in objects { chatelaine_release(object) }
                (names, objects) = ([], [])
                for pair in pairs {
                    guard let object = text(pair.key) else { return nil }
                    objects.append(object)
                    names.append(pair.key)
                }
            }
            for object in objects { chatelaine_retain(object) }
            return objects
        }
    }

    private static func object(_ tree: ResultTree, _ keys: inout Keys) -> UnsafeRawPointer? {
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
        case .dictionary(let pairs): dictionary(pairs, &keys)
        case .array(let elements): array(elements, &keys)
        }
    }

    private static func dictionary(
        _ pairs: [(key: String, value: ResultTree)], _ keys: inout Keys
    ) -> UnsafeRawPointer? {
        var values: [UnsafeRawPointer?] = []
        values.reserveCapacity(pairs.count)
        for pair in pairs {
            guard let value = object(pair.value, &keys) else { return release(values) }
            values.append(value)
        }
        guard var names = keys.objects(of: pairs) else { return release(values) }
        return chatelaine_make_dictionary(&names, &values, names.count)
    }

    private static func array(_ elements: [ResultTree], _ keys: inout Keys) -> UnsafeRawPointer? {
        var objects: [UnsafeRawPointer?] = []
        objects.reserveCapacity(elements.count)
        for element in elements {
            guard let object = object(element, &keys) else { return release(objects) }
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
