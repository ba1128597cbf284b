/// A D-Bus message, with functions to write and read its contents.
final class Message {
    /// A place in a message: a DBusMessageIter, which has 72 bytes and may be moved.
    final class Place {
        fileprivate let pointer = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 16)
        fileprivate let calls: MessageCalls

        fileprivate init(_ calls: MessageCalls) { self.calls = calls }

        deinit { pointer.deallocate() }
    }

    let pointer: UnsafeMutableRawPointer
    private let calls: MessageCalls

    init(_ pointer: UnsafeMutableRawPointer, _ calls: MessageCalls) {
        self.pointer = pointer
        self.calls = calls
    }

    deinit { calls.unref(pointer) }

    func append(_ body: (Place) -> Void) {
        let place = Place(calls)
        calls.beginAppending(pointer, place.pointer)
        body(place)
    }

    func read<Value>(_ body: (Place) throws -> Value) throws -> Value {
        let place = Place(calls)
        guard calls.beginReading(pointer, place.pointer) != 0 else { throw BenchError("D-Bus: the answer is empty") }
        return try body(place)
    }
}

/// Writing.
extension Message.Place {
    func string(_ text: String, type: Character = "s") {
        // SAFETY: libdbus copies the text that the pointer points to.
        text.withCString { text in withUnsafePointer(to: text) { _ = calls.append(pointer, code(type), $0) } }
    }

    func integer(_ number: Int32) { withUnsafePointer(to: number) { _ = calls.append(pointer, code("i"), $0) } }
    func long(_ number: Int64) { withUnsafePointer(to: number) { _ = calls.append(pointer, code("x"), $0) } }
    func boolean(_ value: Bool) {
        withUnsafePointer(to: UInt32(value ? 1 : 0)) { _ = calls.append(pointer, code("b"), $0) }
    }

    func bytes(_ bytes: [UInt8]) {
        container("a", "y") { place in
            // SAFETY: as for strings; the function wants a pointer to the pointer.
            bytes.withUnsafeBufferPointer { buffer in
                withUnsafePointer(to: buffer.baseAddress) {
                    _ = calls.appendArray(place.pointer, code("y"), $0, Int32(bytes.count))
                }
            }
        }
    }

    /// Appends a container: `a` array, `r` structure, `e` entry of a dictionary, `v` variant.
    func container(_ type: Character, _ signature: String? = nil, _ body: (Message.Place) -> Void) {
        let inner = Message.Place(calls)
        if let signature {
            _ = calls.open(pointer, code(type), signature, inner.pointer)
        } else {
            _ = calls.open(pointer, code(type), nil, inner.pointer)
        }
        body(inner)
        _ = calls.close(pointer, inner.pointer)
    }

    func dictionary(_ pairs: [(String, String)]) {
        container("a", "{ss}") { array in
            for (key, value) in pairs {
                array.container("e") { entry in
                    entry.string(key)
                    entry.string(value)
                }
            }
        }
    }

    private func code(_ type: Character) -> Int32 { Int32(type.asciiValue ?? 0) }
}

/// Reading; each call moves to the next value.
extension Message.Place {
    func string() -> String {
        var text: UnsafePointer<CChar>?
        calls.basic(pointer, &text)
        _ = calls.next(pointer)
        return text.map { String(cString: $0) } ?? ""
    }

    func integer() -> Int32 {
        var number: Int32 = 0
        calls.basic(pointer, &number)
        _ = calls.next(pointer)
        return number
    }

    func boolean() -> Bool {
        var value: UInt32 = 0
        calls.basic(pointer, &value)
        _ = calls.next(pointer)
        return value != 0
    }

    func skip() { _ = calls.next(pointer) }

    /// Reads the length of an array of bytes.
    func byteCount() -> Int {
        var (bytes, count): (UnsafeRawPointer?, Int32) = (nil, 0)
        inner { place in withUnsafeMutablePointer(to: &bytes) { calls.array(place.pointer, $0, &count) } }
        return Int(count)
    }

    func inner(_ body: (Message.Place) -> Void) {
        let inner = Message.Place(calls)
        calls.recurse(pointer, inner.pointer)
        body(inner)
        _ = calls.next(pointer)
    }

    /// Calls `body` for each element of an array.
    func each(_ body: (Message.Place) -> Void) {
        inner { place in while calls.type(place.pointer) != 0 { body(place) } }
    }
}
