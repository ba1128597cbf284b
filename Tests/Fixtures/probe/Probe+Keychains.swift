import Foundation
import Security

/// Apple's calls about file keychains. `function` is the name after `SecKeychain`, `path` the keychain, missing for
/// NULL.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    static func performKeychain(_ command: [String: Any]) -> [String: Any]? {
        guard command["call"] as? String == "SecKeychain", let function = command["function"] as? String else {
            return nil
        }
        let path = command["path"] as? String
        switch function {
        case "Open": return opened(path ?? "", andAgain: command["again"] as? String)
        case "Create", "Unlock": return withPassword(function, path, command)
        case "GetPath": return pathOf(path, room: command["room"] as? Int ?? 4096)
        case "CopySettings", "SetSettings": return settings(function, path.flatMap { object($0) }, command)
        case "SetUserInteractionAllowed":
            return ["status": Int(SecKeychainSetUserInteractionAllowed(command["state"] as? Bool ?? true))]
        case "SetSearchList", "SetDomainSearchList":
            let list = (command["list"] as? [String] ?? []).compactMap { object($0) } as CFArray
            guard function == "SetDomainSearchList" else { return ["status": Int(SecKeychainSetSearchList(list))] }
            return ["status": Int(SecKeychainSetDomainSearchList(domain(command), list))]
        default: return simple(function, path.flatMap { object($0) }, domain(command))
        }
    }

    private static func domain(_ command: [String: Any]) -> SecPreferencesDomain {
        SecPreferencesDomain(rawValue: Int32(command["domain"] as? Int ?? 0)) ?? .user
    }

    private static func object(_ path: String) -> SecKeychain? {
        var keychain: SecKeychain?
        SecKeychainOpen(path, &keychain)
        return keychain
    }

    /// Opens two names, and returns whether they give the same object.
    private static func opened(_ path: String, andAgain again: String?) -> [String: Any] {
        var (keychain, other): (SecKeychain?, SecKeychain?)
        let status = SecKeychainOpen(path, &keychain)
        if let again { SecKeychainOpen(again, &other) }
        return ["status": Int(status), "result": keychain != nil && keychain === other]
    }

    private static func withPassword(_ function: String, _ path: String?, _ command: [String: Any]) -> [String: Any] {
        let password = (command["password"] as? String).map { Array($0.utf8) + [0] }
        let isPrompted = command["prompt"] as? Bool ?? false
        let length = UInt32(command["length"] as? Int ?? password.map { $0.count - 1 } ?? 0)
        guard function == "Create" else {
            let status = SecKeychainUnlock(path.flatMap { object($0) }, length, password, !isPrompted)
            return ["status": Int(status)]
        }
        var keychain: SecKeychain?
        var access: SecAccess?
        if let label = command["access"] as? String { SecAccessCreate(label as CFString, nil, &access) }
        let status = SecKeychainCreate(path ?? "", length, password, isPrompted, access, &keychain)
        return ["status": Int(status), "result": keychain != nil]
    }

    private static func pathOf(_ path: String?, room: Int) -> [String: Any] {
        var length = UInt32(room)
        var buffer = [CChar](repeating: 0x7F, count: max(room, 1))
        let status = SecKeychainGetPath(path.flatMap { object($0) }, &length, &buffer)
        guard status == errSecSuccess else { return ["status": Int(status), "result": Int(length)] }
        let text = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
        return ["status": 0, "result": text, "length": Int(length)]
    }

    private static func settings(
        _ function: String, _ keychain: SecKeychain?, _ command: [String: Any]
    ) -> [String: Any] {
        var settings = SecKeychainSettings()
        guard function == "SetSettings" else {
            let status = SecKeychainCopySettings(keychain, &settings)
            let values = [
                Int(settings.version), settings.lockOnSleep.boolValue ? 1 : 0,
                settings.useLockInterval.boolValue ? 1 : 0,
                Int(settings.lockInterval),
            ]
            return ["status": Int(status), "result": values]
        }
        let values = command["settings"] as? [Int] ?? []
        guard values.count == 4 else { return ["error": "no settings"] }
        settings = SecKeychainSettings(
            version: UInt32(values[0]), lockOnSleep: DarwinBoolean(values[1] != 0),
            useLockInterval: DarwinBoolean(values[2] != 0), lockInterval: UInt32(values[3]))
        return ["status": Int(SecKeychainSetSettings(keychain, &settings))]
    }

    private static func simple(
        _ function: String, _ keychain: SecKeychain?, _ domain: SecPreferencesDomain
    ) -> [String: Any] {
        var (status, result): (OSStatus, Any?) = (errSecUnimplemented, nil)
        switch function {
        case "Lock": status = SecKeychainLock(keychain)
        case "LockAll": status = SecKeychainLockAll()
        case "Delete": status = SecKeychainDelete(keychain)
        case "SetDefault": status = SecKeychainSetDefault(keychain)
        case "SetDomainDefault": status = SecKeychainSetDomainDefault(domain, keychain)
        case "SetPreferenceDomain": status = SecKeychainSetPreferenceDomain(domain)
        case "GetStatus":
            var bits = SecKeychainStatus()
            status = SecKeychainGetStatus(keychain, &bits)
            result = Int(bits)
        case "GetVersion":
            var version = UInt32()
            status = SecKeychainGetVersion(&version)
            result = Int(version)
        case "GetUserInteractionAllowed":
            var state: DarwinBoolean = false
            status = SecKeychainGetUserInteractionAllowed(&state)
            result = state.boolValue
        default: (status, result) = preference(function, domain)
        }
        return ["status": Int(status)].merging(result.map { ["result": $0] } ?? [:]) { $1 }
    }

    private static func preference(_ function: String, _ domain: SecPreferencesDomain) -> (OSStatus, Any?) {
        var (list, keychain): (CFArray?, SecKeychain?)
        let status: OSStatus
        switch function {
        case "CopySearchList": status = SecKeychainCopySearchList(&list)
        case "CopyDomainSearchList": status = SecKeychainCopyDomainSearchList(domain, &list)
        case "CopyDefault": status = SecKeychainCopyDefault(&keychain)
        case "CopyDomainDefault": status = SecKeychainCopyDomainDefault(domain, &keychain)
        default: return (errSecUnimplemented, nil)
        }
        if let keychain { return (status, name(keychain)) }
        return (status, (list as? [SecKeychain])?.map(name))
    }

    /// The last component of a keychain's path.
    private static func name(_ keychain: SecKeychain) -> String {
        var length = UInt32(4096)
        var buffer = [CChar](repeating: 0, count: 4096)
        SecKeychainGetPath(keychain, &length, &buffer)
        let path = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
        return String(path.split(separator: "/").last ?? "")
    }
}
