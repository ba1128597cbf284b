import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Collects the items of a file, up to the limits.
final class ItemCollector {
    private(set) var items: [ExternalItem] = []
    /// The bytes of all items, since unpacked items may be larger than the file.
    private var bytes = 0
    /// The rounds of bcrypt that the file may still use, for all its keys together.
    private var rounds = UInt32(KEY_FORMATS_MOST_BCRYPT)

    /// - Throws: ``FormatFailure/tooManyItems``, ``FormatFailure/tooLarge``
    func add(_ item: ExternalItem) throws(FormatFailure) {
        guard items.count < FormatLimits.maximumItems else { throw .tooManyItems }
        bytes += item.byteCount
        guard bytes <= FormatLimits.maximumFileBytes else { throw .tooLarge }
        items.append(item)
    }

    /// Subtracts rounds from the remaining ones.
    ///
    /// - Throws: ``FormatFailure/tooManyIterations``
    func spend(rounds wanted: UInt32) throws(FormatFailure) {
        guard wanted <= rounds else { throw .tooManyIterations }
        rounds -= wanted
    }

    /// Links each certificate to its issuer among the items.
    ///
    /// - Throws: ``FormatFailure/tooLarge`` if there is no memory.
    func noteIssuers() throws(FormatFailure) {
        var (places, ends, bytes): ([Int], [Int], [UInt8]) = ([], [0], [])
        for (place, item) in items.enumerated() {
            guard case .certificate(let der, _) = item.content else { continue }
            places.append(place)
            bytes += der
            ends.append(bytes.count)
        }
        guard places.count > 1 else { return }
        var issuers = [Int](repeating: places.count, count: places.count)
        let isDone = bytes.withUnsafeBytes { bytes in
            let certificates = zip(ends, ends.dropFirst()).map { start, end in
                key_formats_bytes(
                    bytes: bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self),
                    count: end - start)
            }
            // SAFETY: both arrays have as many elements as the call is told, and live until it is over.
            return key_formats_find_issuers(certificates, places.count, &issuers) != 0
        }
        guard isDone else { throw .tooLarge }
        for (place, issuer) in zip(places, issuers) where places.indices.contains(issuer) {
            items[place].issuer = UInt64(places[issuer])
        }
    }

    /// Lets a C function read and report each item.
    func collect(_ read: (key_formats_found, UnsafeMutableRawPointer) -> Int32) throws(FormatFailure) {
        // SAFETY: the collector lives until `read` is over, and nobody calls back afterwards.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = read(
            { context, item in
                guard let context, let item = item?.pointee else { return Int32(KEY_FORMATS_DAMAGED) }
                return Unmanaged<ItemCollector>.fromOpaque(context).takeUnretainedValue().take(item)
            }, context)
        try FormatFailure.check(code)
    }

    private func take(_ found: key_formats_item) -> Int32 {
        do throws(FormatFailure) {
            try add(try ExternalItem(found))
            return Int32(KEY_FORMATS_OK)
        } catch {
            return Int32(error.rawValue)
        }
    }
}

extension ExternalItem {
    fileprivate init(_ found: key_formats_item) throws(FormatFailure) {
        let bytes = found.bytes.buffer
        switch Int(found.kind) {
        case KEY_FORMATS_CERTIFICATE:
            guard bytes.count <= FormatLimits.maximumCertificateBytes else { throw .tooLarge }
            let key = found.certificate_key.bytes == nil ? nil : [UInt8](found.certificate_key.buffer)
            self.init(.certificate(der: [UInt8](bytes), key: key))
        case KEY_FORMATS_PRIVATE_KEY, KEY_FORMATS_PUBLIC_KEY:
            guard bytes.count <= FormatLimits.maximumKeyBytes,
                let kind = KeyKind(rawValue: UInt8(clamping: found.key_kind)), kind != .aes
            else { throw .unsupportedKey }
            self.init(
                Int(found.kind) == KEY_FORMATS_PRIVATE_KEY
                    ? .privateKey(kind, SecretBytes(copying: bytes)) : .publicKey(kind, [UInt8](bytes)))
        default: throw .damaged
        }
        guard found.label.count <= FormatLimits.maximumLabelBytes, found.key_id.count <= FormatLimits.maximumKeyIDBytes
        else { throw .tooLarge }
        // A key whose name is invalid text is kept without the name.
        if found.label.bytes != nil { label = String(validating: found.label.buffer, as: UTF8.self) }
        if found.key_id.bytes != nil { keyID = [UInt8](found.key_id.buffer) }
    }

    fileprivate var byteCount: Int {
        let own =
            switch content {
            case .certificate(let der, let key): der.count + (key?.count ?? 0)
            case .privateKey(_, let bytes), .sessionKey(let bytes): bytes.count
            case .publicKey(_, let bytes): bytes.count
            }
        return own + (label?.utf8.count ?? 0) + (keyID?.count ?? 0)
    }
}

extension key_formats_bytes {
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }
}
