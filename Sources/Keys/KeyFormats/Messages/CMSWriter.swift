import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Makes signed and enveloped CMS messages.
///
/// It needs no private key: signatures are made elsewhere.
package enum CMSWriter {
    /// The message. For a message to be signed that has no signature yet, the bytes to sign.
    ///
    /// - Throws: ``FormatFailure``
    package static func write(_ order: CMSOrder) throws(FormatFailure) -> SecretBytes {
        try order.content.lent { (content) throws(FormatFailure) in
            switch order.work {
            case .envelop(let certificates):
                try certificates.lent { (certificates) throws(FormatFailure) in
                    try SecretBytes.written {
                        key_formats_write_enveloped(content, certificates.baseAddress, certificates.count, $0)
                    }
                }
            case .sign(let signing): try sign(content, signing)
            }
        }
    }

    private static func sign(_ content: key_formats_bytes, _ signing: CMSSigning) throws(FormatFailure) -> SecretBytes {
        var order = key_formats_signing()
        order.content = content
        order.digest = Int32(signing.digest.rawValue)
        order.is_detached = signing.isDetached ? 1 : 0
        order.has_time = signing.signingTime == nil ? 0 : 1
        order.time = signing.signingTime ?? 0
        order.has_capabilities = signing.hasCapabilities ? 1 : 0
        let own = [signing.certificate, signing.preference ?? [], signing.signature ?? []]
        return try own.lent { (own) throws(FormatFailure) in
            order.certificate = own[0]
            if signing.preference != nil { order.preference = own[1] }
            if signing.signature != nil { order.signature = own[2] }
            return try signing.others.lent { (others) throws(FormatFailure) in
                (order.others, order.other_count) = (others.baseAddress, others.count)
                return try SecretBytes.written { output in
                    withUnsafePointer(to: order) { key_formats_write_signed($0, output) }
                }
            }
        }
    }
}

extension [[UInt8]] {
    /// Lends the arrays to a C function: one copy of all bytes, and the position of each array in it.
    func lent<Result>(
        _ body: (UnsafeBufferPointer<key_formats_bytes>) throws(FormatFailure) -> Result
    ) throws(FormatFailure) -> Result {
        let all = Array<UInt8>(joined()) + [0]
        return try all.withUnsafeBufferPointer { bytes in
            Swift.Result { () throws(FormatFailure) in
                var (parts, place) = ([key_formats_bytes](), 0)
                for each in self {
                    // SAFETY: `all` has each of them, one behind the other, and one byte more.
                    parts.append(key_formats_bytes(bytes: bytes.baseAddress.map { $0 + place }, count: each.count))
                    place += each.count
                }
                return try parts.withUnsafeBufferPointer { parts in
                    Swift.Result { () throws(FormatFailure) in try body(parts) }
                }.get()
            }
        }.get()
    }
}
