import Glibc

/// sendmsg(2) with any number of descriptors; the library's own function allows four.
package enum DescriptorMessage {
    /// The size of a `cmsghdr` in bytes: a length of 8 bytes, then level and type.
    private static let headerBytes = 16

    package static func send(_ bytes: UnsafeRawBufferPointer, _ descriptors: [Int32], over socket: Int32) -> Int {
        guard !descriptors.isEmpty else {
            return Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        let length = headerBytes + descriptors.count * 4
        // Rounded up to whole words, as in CMSG_SPACE.
        var control = [UInt64](repeating: 0, count: (length + 7) / 8)
        control[0] = UInt64(length)
        control[1] = UInt64(SOL_SOCKET) | UInt64(SCM_RIGHTS) << 32
        return control.withUnsafeMutableBytes { control in
            for (index, descriptor) in descriptors.enumerated() {
                control.storeBytes(of: descriptor, toByteOffset: headerBytes + index * 4, as: Int32.self)
            }
            var piece = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            // SAFETY: the message points to `bytes` and `control`, which outlive the call.
            return withUnsafeMutablePointer(to: &piece) { piece in
                var message = msghdr()
                message.msg_iov = piece
                message.msg_iovlen = 1
                message.msg_control = control.baseAddress
                message.msg_controllen = control.count
                return sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
            }
        }
    }
}
