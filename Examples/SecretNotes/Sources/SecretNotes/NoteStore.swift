import Foundation
import LocalAuthentication
import Security

/// Notes that are shown to their owner alone, as an iOS application would keep them.
///
/// A note asks for the user's presence each time that it is read, or for a password that nobody else has, this program
/// included. Calls that may ask somebody wait for the answer, so none of them is made on the main thread.
final class NoteStore: Sendable {
    /// What the keychain answered, where it was not success.
    struct Failure: Error, CustomStringConvertible {
        let status: OSStatus

        var description: String {
            let message = SecCopyErrorMessageString(status, nil) as String?
            return "\(message ?? "unknown error") (\(status))"
        }
    }

    /// How a note is protected.
    enum Protection: String {
        case presence
        case password

        fileprivate var flags: SecAccessControlCreateFlags {
            switch self {
            case .presence: .userPresence
            case .password: .applicationPassword
            }
        }
    }

    private let service = "org.example.secret-notes"
    private let queue = DispatchQueue(label: "org.example.secret-notes", qos: .userInitiated)

    /// Stores a note, and fails where there is one of that name.
    ///
    /// - Parameter password: of the note; nil for one that asks for its owner.
    func add(_ note: String, name: String, password: String?) async throws {
        let protection: Protection = password == nil ? .presence : .password
        try await offTheMainThread {
            var error: Unmanaged<CFError>?
            guard
                let control = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, protection.flags, &error)
            else { throw error?.takeRetainedValue() as Error? ?? Failure(status: errSecParam) }
            var item = self.query(name)
            item[kSecValueData as String] = Data(note.utf8)
            item[kSecAttrLabel as String] = name
            item[kSecAttrComment as String] = protection.rawValue
            item[kSecAttrAccessControl as String] = control
            if let password { item[kSecUseAuthenticationContext as String] = Self.context(password) }
            try self.check(SecItemAdd(item as CFDictionary, nil))
        }
    }

    /// The names of all notes and how each is protected. Nobody is asked for these.
    func list() async throws -> [(name: String, protection: Protection)] {
        try await offTheMainThread {
            var query = self.query(nil)
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitAll
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return [] }
            try self.check(status)
            return (result as? [[String: Any]] ?? []).compactMap { attributes in
                guard let name = attributes[kSecAttrAccount as String] as? String,
                    let words = attributes[kSecAttrComment as String] as? String,
                    let protection = Protection(rawValue: words)
                else { return nil }
                return (name, protection)
            }
        }
    }

    /// The notes of these names. However many there are, their owner is asked once.
    ///
    /// - Parameter password: of the notes that have one; nil for those that ask for their owner.
    func read(_ names: [String], password: String?) async throws -> [String] {
        let context = password.map { Self.context($0) } ?? LAContext()
        if password == nil {
            let reason = names.count == 1 ? "Show the note “\(names[0])”" : "Show \(names.count) notes"
            guard try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) else {
                return []
            }
        }
        let shown = Shown(context)
        return try await offTheMainThread {
            // What was shown is forgotten as soon as the notes are here.
            defer { shown.context.invalidate() }
            return try names.map { try self.secret($0, shown.context) }
        }
    }

    func delete(_ name: String) async throws {
        try await offTheMainThread { try self.check(SecItemDelete(self.query(name) as CFDictionary)) }
    }

    private func secret(_ name: String, _ context: LAContext) throws -> String {
        var query = query(name)
        query[kSecReturnData as String] = true
        query[kSecUseAuthenticationContext as String] = context
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query as CFDictionary, &result))
        guard let data = result as? Data, let text = String(data: data, encoding: .utf8) else {
            throw Failure(status: errSecDecode)
        }
        return text
    }

    private func query(_ name: String?) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        ]
        if let name { query[kSecAttrAccount as String] = name }
        return query
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw Failure(status: status) }
    }

    /// A context that has the note's password, and asks nobody for it.
    private static func context(_ password: String) -> LAContext {
        let context = LAContext()
        context.interactionNotAllowed = true
        context.setCredential(Data(password.utf8), type: .applicationPassword)
        return context
    }

    private func offTheMainThread<Value>(_ body: @escaping () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// A context may be used on any thread.
    private struct Shown: @unchecked Sendable {
        let context: LAContext
        init(_ context: LAContext) { self.context = context }
    }
}
