/// Secret memory that grows: encoders write to it and sockets read into it.
///
/// It wipes each block that it outgrows, and its last block when it ends. ``finish()`` turns it into ``SecretBytes``
/// without a copy.
@usableFromInline
package struct SecretBuffer: ~Copyable {
    @usableFromInline
    var filled = 0
    @usableFromInline
    var block: UnsafeMutableRawBufferPointer
    private let isPooled: Bool
    /// The end of the bytes that a filler was offered, and may have written without saying so.
    private var offered = 0
    /// Whether the block belongs to somebody else, who wipes it where that is needed.
    private var isLent = false

    /// Bytes written so far.
    @inlinable package var count: Int { filled }

    package init(capacity: Int = 512) {
        isPooled = SecretArena.isPooling
        block = Self.allocate(capacity, isPooled: isPooled)
    }

    /// Begins in memory that outlives the buffer, such as the stack, and allocates its own once that is full.
    package init(lent memory: UnsafeMutableRawBufferPointer) {
        isPooled = SecretArena.isPooling
        block = memory
        isLent = true
    }

    deinit { release() }

    /// How many bytes of the block may not be zero.
    ///
    /// Only these are wiped. To wipe memory that was reserved and never filled would first take it from the system.
    private var touched: Int { max(filled, offered) }

    private func release() {
        guard !isLent else { return }
        SecretArena.release(block, touched: touched, isPooled: isPooled)
    }

    private static func allocate(_ capacity: Int, isPooled: Bool) -> UnsafeMutableRawBufferPointer {
        guard let block = SecretArena.allocate(capacity, isPooled: isPooled) else {
            fatalError("out of memory for \(capacity) secret bytes")
        }
        return block
    }

    /// Makes room for `additional` more bytes.
    @inlinable
    @inline(__always)
    package mutating func reserve(_ additional: Int) {
        if block.count - count < additional { grow(by: additional) }
    }

    @usableFromInline
    mutating func grow(by additional: Int) {
        let larger = Self.allocate(max(count + additional, block.count * 2), isPooled: isPooled)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<count]))
        release()
        block = larger
        offered = 0
        isLent = false
    }

    @inlinable
    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        block[count] = byte
        filled += 1
    }

    /// Appends the low `width` bytes of `value`, the most significant first.
    @inlinable
    @inline(__always)
    package mutating func append(_ value: UInt64, width: Int) {
        reserve(width)
        for index in 0..<width {
            block[count + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
        }
        filled += width
    }

    /// Appends the bytes of two words as they are in memory.
    @inlinable
    @inline(__always)
    package mutating func append(_ first: UInt64, _ second: UInt64) {
        reserve(16)
        let end = UnsafeMutableRawBufferPointer(rebasing: block[count..<(count + 16)])
        end.storeBytes(of: first, as: UInt64.self)
        end.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
        filled += 16
    }

    @inlinable
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        // SAFETY: `reserve` made room; source and block do not overlap, since nobody else can point into the block.
        (block.baseAddress.unsafelyUnwrapped + count).copyMemory(from: source, byteCount: bytes.count)
        filled += bytes.count
    }

    /// Appends up to `capacity` bytes that `fill` writes, and returns the result of `fill`.
    ///
    /// The result is the number of bytes written, or a value of 0 or less, for which nothing is appended.
    package mutating func append(capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> Int {
        reserve(capacity)
        offered = max(offered, count + capacity)
        let written = try fill(UnsafeMutableRawBufferPointer(rebasing: block[count..<(count + capacity)]))
        if written > 0 { filled += min(written, capacity) }
        return written
    }

    /// Overwrites bytes already written, such as a length that was not known before.
    package mutating func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) {
        guard offset >= 0, offset + bytes.count <= count else { return }
        UnsafeMutableRawBufferPointer(rebasing: block[offset..<(offset + bytes.count)]).copyMemory(from: bytes)
    }

    package mutating func overwrite(at offset: Int, with byte: UInt8) {
        guard offset >= 0, offset < count else { return }
        block[offset] = byte
    }

    /// Wipes and removes the last `number` bytes, or all where there are fewer.
    package mutating func removeLast(_ number: Int) {
        let kept = max(0, count - max(0, number))
        ChatelaineMemory.wipe(UnsafeMutableRawBufferPointer(rebasing: block[kept..<count]))
        filled = kept
    }

    /// Wipes the content and keeps the memory, up to `capacity` bytes of it.
    package mutating func reset(keeping capacity: Int = 64 * 1024) {
        if block.count > capacity, !isLent {
            release()
            block = Self.allocate(512, isPooled: isPooled)
        } else {
            ChatelaineMemory.wipe(UnsafeMutableRawBufferPointer(rebasing: block[..<touched]))
        }
        (filled, offered) = (0, 0)
    }

    @inlinable
    package borrowing func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
        try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
    }

    /// Ends the buffer and returns its content as a secret.
    package consuming func finish() -> SecretBytes {
        if isLent { grow(by: 0) }
        ChatelaineMemory.wipe(UnsafeMutableRawBufferPointer(rebasing: block[count..<touched]))
        let bytes = SecretBytes(adopting: block, count: count, isPooled: isPooled)
        discard self
        return bytes
    }
}
