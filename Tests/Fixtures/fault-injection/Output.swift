import Glibc

/// Writes lines to standard output through the call that the seam knows.
enum Output {
    static func say(_ text: String) {
        var line = text + "\n"
        line.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    static func end(_ text: String) -> Never {
        say(text)
        exit(2)
    }
}

extension Slice where Base == UnsafeBufferPointer<UInt8> {
    fileprivate var baseAddress: UnsafePointer<UInt8>? { base.baseAddress.map { $0 + startIndex } }
}
