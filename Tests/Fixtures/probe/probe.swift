import Foundation
import Security
import Synchronization

/// A program for tests that uses the keychain: reads one JSON command a line, makes the call, prints one JSON line.
///
/// A copy at another path is another application. In commands and results, strings, numbers and booleans stand for
/// themselves. Other values are objects:
///
/// - `{"data": BASE64}`: data; `{"repeat": N}`: N bytes of data
/// - `{"date": SECONDS}`: a date, in seconds since 2001
/// - `{"null": true}`: NSNull
/// - `{"reference": N}`: the Nth reference or access control that a call returned
/// - `{"certificate": BASE64}`: a certificate
/// - `{"accessControl": CLASS, "flags": N}`: a new access control
/// - `{"context": N}`: an authentication context
///
/// With `"brief": true`, results have only the number of bytes of data. With `"place": false` the call gets no place
/// for a result; with `"place": "text"` the place has an object before the call.
///
/// The files `Probe+….swift` have all calls other than the four of SecItem.
@main
enum Probe {
    static func main() {
        while let line = readLine(strippingNewline: true) {
            guard let command = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                answer(["error": "no JSON"])
                continue
            }
            answer(perform(command))
        }
    }

    private static func perform(_ command: [String: Any]) -> [String: Any] {
        if let answer = performOther(command) { return answer }
        let query = dictionary(command["query"])
        var result: CFTypeRef? = (command["place"] as? String).map { NSString(string: $0) }
        let isWanted = command["place"] as? Bool ?? true
        let status: OSStatus
        switch command["call"] as? String {
        case "add":
            status = isWanted ? SecItemAdd(query as CFDictionary, &result) : SecItemAdd(query as CFDictionary, nil)
        case "find":
            status =
                isWanted
                ? SecItemCopyMatching(query as CFDictionary, &result) : SecItemCopyMatching(query as CFDictionary, nil)
        case "update":
            status = SecItemUpdate(query as CFDictionary, dictionary(command["change"]) as CFDictionary)
        case "delete": status = SecItemDelete(query as CFDictionary)
        case "pid": return ["status": 0, "result": Int(getpid())]
        default: return ["error": "no such call"]
        }
        var answer: [String: Any] = ["status": Int(status)]
        if let result { answer["result"] = encoded(result, isBrief: command["brief"] as? Bool ?? false) }
        return answer
    }

    private static func answer(_ reply: [String: Any]) {
        guard let data = try? JSONSerialization.data(withJSONObject: reply, options: [.sortedKeys]) else {
            return answer(["error": "the answer is no JSON"])
        }
        FileHandle.standardOutput.write(data + Data("\n".utf8))
    }

    static func dictionary(_ value: Any?) -> [String: Any] {
        (value as? [String: Any] ?? [:]).mapValues { decoded($0) }
    }

    // `@unchecked Sendable`: references and access controls, which never change.
    private struct Objects: @unchecked Sendable { var all: [NSObject] = [] }
    /// References and access controls that calls returned.
    private static let objects = Mutex(Objects())

    private static func decoded(_ value: Any) -> Any {
        if let array = value as? [Any] { return array.map { decoded($0) } }
        guard let special = value as? [String: Any] else { return value }
        if let text = special["data"] as? String { return Data(base64Encoded: text) ?? Data() }
        if let seconds = special["date"] as? Double { return Date(timeIntervalSinceReferenceDate: seconds) }
        if let number = special["context"] as? Int { return context(number) ?? NSNull() }
        if let index = special["reference"] as? Int {
            return objects.withLock { $0.all.indices.contains(index) ? $0.all[index] : NSNull() }
        }
        if let protection = special["accessControl"] as? String {
            let flags = SecAccessControlCreateFlags(rawValue: special["flags"] as? CFOptionFlags ?? 0)
            return SecAccessControlCreateWithFlags(nil, protection as NSString, flags, nil) ?? NSNull()
        }
        if let name = special["keychain"] as? String { return keychain(name) ?? NSNull() }
        if let trusted = special["access"] as? [String] {
            return access(trusted, without: special["without"] as? String) ?? NSNull()
        }
        if let text = special["certificate"] as? String { return certificate(text) ?? NSNull() }
        if let name = special["policy"] as? String { return policy(name, special["host"] as? String) ?? NSNull() }
        if let count = special["repeat"] as? Int { return Data(repeating: 0x41, count: count) }
        return NSNull()
    }

    static func encoded(_ value: Any, isBrief: Bool) -> Any {
        switch value {
        case let dictionary as [String: Any]: dictionary.mapValues { encoded($0, isBrief: isBrief) }
        case let array as [Any]: array.map { encoded($0, isBrief: isBrief) }
        case let data as Data: isBrief ? ["count": data.count] : ["data": data.base64EncodedString()]
        case let date as Date: ["date": date.timeIntervalSinceReferenceDate]
        case is String, is NSNumber: value
        case let certificate as SecCertificate:
            ["certificate": (SecCertificateCopyData(certificate) as Data).base64EncodedString()]
                .merging(certificate.keychainItem == nil ? [:] : ["reference": remembered(certificate)]) { $1 }
        case let identity as SecIdentity:
            ["reference": remembered(identity)].merging(parts(of: identity)) { $1 }
        case let item as SecKeychainItem: ["reference": remembered(item)]
        case let key as SecKey: ["reference": remembered(key), "key": key.description]
        case let control as SecAccessControl: ["reference": remembered(control), "control": control.description]
        default: ["object": "\(type(of: value))"]
        }
    }

    static func keychain(_ name: String) -> SecKeychain? {
        var keychain: SecKeychain?
        SecKeychainOpen(name, &keychain)
        return keychain
    }

    /// Makes an access object that allows the programs at these paths.
    /// - Parameter right: a right that no entry gives.
    private static func access(_ paths: [String], without right: String?) -> SecAccess? {
        let trusted = paths.compactMap { path -> SecTrustedApplication? in
            var application: SecTrustedApplication?
            SecTrustedApplicationCreateFromPath(path, &application)
            return application
        }
        var access: SecAccess?
        SecAccessCreate("an access object" as NSString, trusted as NSArray, &access)
        guard let access, let right else { return access }
        var entries: CFArray?
        SecAccessCopyACLList(access, &entries)
        for entry in entries as? [SecACL] ?? [] {
            let rights = SecACLCopyAuthorizations(entry) as? [String] ?? []
            guard rights.contains(right) else { continue }
            SecACLUpdateAuthorizations(entry, rights.filter { $0 != right } as NSArray)
        }
        return access
    }

    private static func parts(of identity: SecIdentity) -> [String: Any] {
        var (certificate, key): (SecCertificate?, SecKey?)
        SecIdentityCopyCertificate(identity, &certificate)
        SecIdentityCopyPrivateKey(identity, &key)
        return ["certificate": certificate as Any, "key": key as Any].mapValues { encoded($0, isBrief: false) }
    }

    private static func remembered(_ object: NSObject) -> Int {
        objects.withLock { objects in
            // A key of the keychain equals the same key in memory, but tests must tell the two objects apart.
            let isAlone = object is SecKey || object is SecIdentity
            if let index = objects.all.firstIndex(where: { $0 === object || ($0 == object && !isAlone) }) {
                return index
            }
            objects.all.append(object)
            return objects.all.count - 1
        }
    }
}
