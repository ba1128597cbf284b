import Foundation
import Security

/// Files of keys and certificates.
extension Probe {
    /// Makes the call of a command; nil for any other command. Results have the type and bytes of each object.
    static func performImportExport(_ command: [String: Any]) -> [String: Any]? {
        let data = command["data"] as? String
        let bytes = data.flatMap { Data(base64Encoded: $0) } as NSData? ?? NSData()
        switch command["call"] as? String {
        case "pkcs12":
            var items: CFArray?
            let status = SecPKCS12Import(bytes, dictionary(command["options"]) as CFDictionary, &items)
            return ["status": Int(status), "result": (items as? [[String: Any]] ?? []).map(identity)]
        case "import":
            var items: CFArray?
            let (status, format, type) = read(bytes, command, &items)
            return [
                "status": Int(status),
                "result": ["format": format, "type": type, "items": (items as? [NSObject] ?? []).map(described)],
            ]
        case "convert": return convert(bytes, command)
        case "identity": return makeIdentity(bytes, command)
        case "identityOf":
            guard let certificate = SecCertificateCreateWithData(nil, bytes) else { return ["status": -50] }
            var identity: SecIdentity?
            let keychains = (command["keychains"] as? [String])?.compactMap { Self.keychain($0) }
            let status = SecIdentityCreateWithCertificate(keychains as NSArray?, certificate, &identity)
            return ["status": Int(status), "result": identity.map { encoded($0, isBrief: false) } ?? NSNull()]
        default: return nil
        }
    }

    private static func read(
        _ data: NSData, _ command: [String: Any], _ items: inout CFArray?
    ) -> (OSStatus, Int, Int) {
        var format = SecExternalFormat(rawValue: command["format"] as? UInt32 ?? 0) ?? .formatUnknown
        var type = SecExternalItemType(rawValue: command["type"] as? UInt32 ?? 0) ?? .itemTypeUnknown
        let keychain = (command["keychain"] as? String).flatMap { Self.keychain($0) }
        if command["isFormer"] as? Bool == true {
            let status = withFormerParameters(
                command["passphrase"] as? String, command["keyAttributes"] as? UInt32 ?? 0,
                command["keyUsage"] as? UInt32 ?? 0
            ) {
                SecKeychainItemImport(data, nil, &format, &type, [], $0, keychain, &items)
            }
            return (status, Int(format.rawValue), Int(type.rawValue))
        }
        let status = withParameters(
            command["passphrase"] as? String, command["flags"] as? UInt32 ?? 0, command["attributes"] as? [String],
            command["words"] as? [String], command["usage"] as? [String]
        ) {
            SecItemImport(data, nil, &format, &type, [], $0, keychain, &items)
        }
        return (status, Int(format.rawValue), Int(type.rawValue))
    }

    private static func withParameters(
        _ passphrase: String?, _ flags: UInt32, _ attributes: [String]? = nil, _ words: [String]? = nil,
        _ usage: [String]? = nil, _ body: (UnsafePointer<SecItemImportExportKeyParameters>) -> OSStatus
    ) -> OSStatus {
        let text = passphrase.map { NSString(string: $0) }
        var parameters = SecItemImportExportKeyParameters()
        parameters.flags = SecKeyImportExportFlags(rawValue: flags)
        parameters.passphrase = text.map { Unmanaged.passUnretained($0 as CFTypeRef) }
        // The title and text of a dialog.
        let said = (words ?? []).map { NSString(string: $0) }
        parameters.alertTitle = said.first.map { Unmanaged.passUnretained($0) }
        parameters.alertPrompt = said.dropFirst().first.map { Unmanaged.passUnretained($0) }
        let list = attributes.map { NSArray(array: $0) }
        parameters.keyAttributes = list.map { Unmanaged.passUnretained($0 as CFArray) }
        let uses = usage.map { NSArray(array: $0) }
        parameters.keyUsage = uses.map { Unmanaged.passUnretained($0 as CFArray) }
        return withExtendedLifetime((text, list, said, uses)) { withUnsafePointer(to: parameters, body) }
    }

    /// Calls `body` with the parameters of the older calls.
    private static func withFormerParameters(
        _ passphrase: String?, _ attributes: UInt32, _ usage: UInt32,
        _ body: (UnsafePointer<SecKeyImportExportParameters>) -> OSStatus
    ) -> OSStatus {
        let (text, nothing) = (passphrase.map { NSString(string: $0) }, NSString(string: ""))
        let parameters = SecKeyImportExportParameters(
            version: 0, flags: [], passphrase: text.map { Unmanaged.passUnretained($0 as CFTypeRef) },
            alertTitle: Unmanaged.passUnretained(nothing), alertPrompt: Unmanaged.passUnretained(nothing),
            accessRef: nil, keyUsage: usage, keyAttributes: attributes)
        return withExtendedLifetime((text, nothing)) { withUnsafePointer(to: parameters, body) }
    }

    /// Imports a file, and exports its contents in another format.
    private static func convert(_ data: NSData, _ command: [String: Any]) -> [String: Any] {
        var (items, written): (CFArray?, CFData?)
        let (status, _, _) = read(data, command, &items)
        guard status == errSecSuccess, let items else { return ["status": Int(status)] }
        let format = SecExternalFormat(rawValue: command["to"] as? UInt32 ?? 0) ?? .formatUnknown
        let object: CFTypeRef = items.count == 1 ? items.object(at: 0) as AnyObject : items
        let flags: SecItemImportExportFlags = command["pem"] as? Bool == true ? .pemArmour : []
        let passphrase = command["newPassphrase"] as? String
        let result =
            if command["isFormer"] as? Bool == true {
                withFormerParameters(passphrase, 0, 0) { SecKeychainItemExport(object, format, flags, $0, &written) }
            } else {
                withParameters(passphrase, command["newFlags"] as? UInt32 ?? 0) {
                    SecItemExport(object, format, flags, $0, &written)
                }
            }
        return ["status": Int(result), "result": (written as Data?)?.base64EncodedString() ?? ""]
    }

    private static func makeIdentity(_ data: NSData, _ command: [String: Any]) -> [String: Any] {
        var items: CFArray?
        let (status, _, _) = read(data, command, &items)
        let objects = items as? [NSObject] ?? []
        guard status == errSecSuccess, let certificate = objects.lazy.compactMap({ $0 as? SecCertificate }).first,
            let key = objects.lazy.compactMap({ $0 as? SecKey }).first
        else { return ["status": Int(status)] }
        guard let identity = SecIdentityCreate(nil, certificate, key) else { return ["status": 0, "result": "none"] }
        var (own, privateKey): (SecCertificate?, SecKey?)
        SecIdentityCopyCertificate(identity, &own)
        SecIdentityCopyPrivateKey(identity, &privateKey)
        return ["status": 0, "result": own == certificate && privateKey == key ? "made" : "another"]
    }

    private static func identity(_ entry: [String: Any]) -> [String: Any] {
        var result: [String: Any] = [
            "chain": (entry[kSecImportItemCertChain as String] as? [NSObject] ?? []).map(described),
            "keyid": (entry[kSecImportItemKeyID as String] as? Data)?.base64EncodedString() ?? "",
        ]
        result["label"] = entry[kSecImportItemLabel as String] as? String
        if let object = entry[kSecImportItemIdentity as String] { result["object"] = encoded(object, isBrief: false) }
        if let trust = entry[kSecImportItemTrust as String] as? SecTrust {
            result["trusted"] = SecTrustGetCertificateCount(trust)
        }
        result["identity"] = (entry[kSecImportItemIdentity as String] as? NSObject).map(described)
        return result
    }

    private static func described(_ object: NSObject) -> String {
        switch object {
        case let certificate as SecCertificate:
            return "certificate \((SecCertificateCopyData(certificate) as Data).base64EncodedString())"
        case let key as SecKey:
            let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?
            return "\(key) \(bytes?.base64EncodedString() ?? "")"
        case let identity as SecIdentity:
            var (certificate, key): (SecCertificate?, SecKey?)
            SecIdentityCopyCertificate(identity, &certificate)
            SecIdentityCopyPrivateKey(identity, &key)
            return "identity \(certificate.map(described) ?? "") \(key.map(described) ?? "")"
        default: return "\(object)"
        }
    }
}
