import CChatelaineFoundation
import ChatelaineIPC
import ChatelaineModel
import Foundation
import Security

/// `SecPKCS12Import` of `Security/SecImportExport.h`.
@_cdecl("SecPKCS12Import")
public func pkcs12Import(
    _ data: UnsafeRawPointer?, _ options: UnsafeRawPointer?, _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecPKCS12Import") { () throws(KeychainError) in
        let place = try ForeignObject.required(items)
        let identities = try PKCS12Calls.read(
            ForeignValue.meaning(of: data, isSecret: true), try ForeignDictionary.pairs(of: options))
        place.pointee = try ForeignImport.array(identities)
    }
}

/// `SecItemImport` of `Security/SecImportExport.h`.
@_cdecl("SecItemImport")
public func itemImport(
    _ data: UnsafeRawPointer?, _ fileNameOrExtension: UnsafeRawPointer?, _ format: UnsafeMutablePointer<UInt32>?,
    _ type: UnsafeMutablePointer<UInt32>?, _ flags: UInt32, _ parameters: UnsafeRawPointer?,
    _ keychain: UnsafeRawPointer?, _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecItemImport") { () throws(KeychainError) in
        try ForeignImport.read(data, format, type, try ForeignImport.parameters(parameters), keychain, items)
    }
}

/// `SecItemExport` of `Security/SecImportExport.h`.
@_cdecl("SecItemExport")
public func itemExport(
    _ itemOrArray: UnsafeRawPointer?, _ format: UInt32, _ flags: UInt32, _ parameters: UnsafeRawPointer?,
    _ exported: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecItemExport") { () throws(KeychainError) in
        try ForeignImport.write(itemOrArray, format, flags, try ForeignImport.parameters(parameters), exported)
    }
}

/// The arguments and results of the import and export calls, as CoreFoundation objects.
enum ForeignImport {
    /// `SecItemImportExportKeyParameters` of the header, as far as it is read.
    private struct KeyParameters {
        let version: UInt32
        let flags: UInt32
        let passphrase: UnsafeRawPointer?
        let alertTitle: UnsafeRawPointer?
        let alertPrompt: UnsafeRawPointer?
        let access: UnsafeRawPointer?
        let keyUsage: UnsafeRawPointer?
        let keyAttributes: UnsafeRawPointer?
    }

    static func read(
        _ data: UnsafeRawPointer?, _ format: UnsafeMutablePointer<UInt32>?, _ type: UnsafeMutablePointer<UInt32>?,
        _ parameters: ImportExportCalls.KeyParameters, _ keychain: UnsafeRawPointer?,
        _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
    ) throws(KeychainError) {
        let keychain = try KeychainObjects.content(keychain)
        let imported = try ImportExportCalls.read(
            ForeignValue.meaning(of: data, isSecret: true), format: format?.pointee, kind: type?.pointee, parameters,
            into: keychain)
        let objects = try items.map { (_) throws(KeychainError) in try array(imported.things) }
        format?.pointee = UInt32(imported.format.rawValue)
        type?.pointee = UInt32(imported.kind.rawValue)
        items?.pointee = objects
    }

    static func write(
        _ itemOrArray: UnsafeRawPointer?, _ format: UInt32, _ flags: UInt32,
        _ parameters: ImportExportCalls.KeyParameters, _ exported: UnsafeMutablePointer<UnsafeRawPointer?>?
    ) throws(KeychainError) {
        let place = try ForeignObject.required(exported)
        let written = try ImportExportCalls.write(
            try things(itemOrArray), format: format, SecItemImportExportFlags(rawValue: flags), parameters)
        place.pointee = try ForeignResult.make(written)
    }

    static func parameters(_ given: UnsafeRawPointer?) throws(KeychainError) -> ImportExportCalls.KeyParameters {
        guard let given else { return ImportExportCalls.KeyParameters() }
        // SAFETY: the caller's structure has these, in that layout.
        let parameters = given.assumingMemoryBound(to: KeyParameters.self).pointee
        return try ImportExportCalls.KeyParameters(
            version: parameters.version, flags: SecKeyImportExportFlags(rawValue: parameters.flags),
            passphrase: parameters.passphrase.map { ForeignValue.meaning(of: $0, isSecret: true) },
            words: [parameters.alertTitle, parameters.alertPrompt].map { words in
                words.map { ForeignValue.meaning(of: $0) }
            },
            access: try parameters.access.map { (object) throws(KeychainError) in
                let access: SecAccess = try ForeignObject.content(object, .access)
                return access.object
            }, usage: parameters.keyUsage.map { ForeignValue.meaning(of: $0) },
            attributes: parameters.keyAttributes.map { ForeignValue.meaning(of: $0) })
    }

    // MARK: In

    private static let types: [BoxType] = [.certificate, .key, .identity]

    static func things(_ itemOrArray: UnsafeRawPointer?) throws(KeychainError) -> [ImportedThing] {
        if let one = content(itemOrArray) { return [try ImportedThing(one)] }
        var value = chatelaine_value()
        guard chatelaine_object_take(itemOrArray, &value) else { throw noItem }
        defer { chatelaine_object_free(&value) }
        guard Int(value.kind) == CHATELAINE_VALUE_ARRAY, value.count < Int(CHATELAINE_LIST_LIMIT) else { throw noItem }
        var things: [ImportedThing] = []
        // SAFETY: there are `count` elements, which live until the value is freed.
        for element in UnsafeBufferPointer(start: value.elements, count: value.count) {
            guard Int(element.kind) == CHATELAINE_VALUE_BOX, let object = element.object,
                let content = types.lazy.compactMap({ $0.content(of: object) }).first
            else { throw noItem }
            things.append(try ImportedThing(content))
        }
        return things
    }

    private static func content(_ object: UnsafeRawPointer?) -> NSObject? {
        for type in types {
            if let content: NSObject = try? ForeignObject.content(object, type) { return content }
        }
        return nil
    }

    private static var noItem: KeychainError {
        KeychainError(.param, "only certificates, keys and identities are exported, and arrays of them")
    }

    // MARK: Out

    static func array(_ things: [ImportedThing]) throws(KeychainError) -> UnsafeRawPointer {
        try collected(things) { (thing) throws(KeychainError) in
            switch thing {
            case .certificate(let certificate): try ForeignObject.make(certificate, .certificate)
            case .key(let key): try ForeignObject.make(key, .key)
            case .identity(let identity): try ForeignObject.make(identity, .identity)
            }
        }
    }

    static func array(_ identities: [ImportedIdentity]) throws(KeychainError) -> UnsafeRawPointer {
        try collected(identities) { (identity) throws(KeychainError) in try dictionary(identity) }
    }

    private static func collected<Element>(
        _ elements: [Element], _ make: (Element) throws(KeychainError) -> UnsafeRawPointer
    ) throws(KeychainError) -> UnsafeRawPointer {
        var objects: [UnsafeRawPointer?] = []
        for element in elements {
            do throws(KeychainError) { objects.append(try make(element)) } catch {
                for object in objects { chatelaine_release(object) }
                throw error
            }
        }
        guard let array = chatelaine_make_array(&objects, objects.count) else { throw noMemory }
        return array
    }

    private static func dictionary(_ identity: ImportedIdentity) throws(KeychainError) -> UnsafeRawPointer {
        var pairs: [(UnsafeRawPointer?, UnsafeRawPointer?)] = []
        do throws(KeychainError) {
            pairs.append((try ForeignObject.text("identity"), try ForeignObject.make(identity.identity, .identity)))
            pairs.append((try ForeignObject.text("chain"), try ForeignObject.make(identity.chain, .certificate)))
            let trust = try identity.trust()
            pairs.append((try ForeignObject.text("trust"), try ForeignObject.make(trust, .trust)))
            pairs.append((try ForeignObject.text("keyid"), try ForeignResult.make(.data(identity.keyID))))
            if let label = identity.label {
                pairs.append((try ForeignObject.text("label"), try ForeignObject.text(label)))
            }
        } catch {
            for (key, value) in pairs {
                chatelaine_release(key)
                chatelaine_release(value)
            }
            throw error
        }
        var (keys, values) = (pairs.map(\.0), pairs.map(\.1))
        guard let dictionary = chatelaine_make_dictionary(&keys, &values, keys.count) else { throw noMemory }
        return dictionary
    }

    private static var noMemory: KeychainError { KeychainError(.allocate, "there is no memory for the result") }
}
