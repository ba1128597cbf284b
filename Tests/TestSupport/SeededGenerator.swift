import Glibc

/// Random numbers from a seed (SplitMix64), so that a test that fails by chance can be repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// `CHATELAINE_TEST_SEED` sets the seed; otherwise each run has its own, which it prints.
    package init(_ test: String = #function) {
        let given = getenv("CHATELAINE_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        self.init(seed: given ?? UInt64.random(in: 0 ... .max))
        print("\(test): CHATELAINE_TEST_SEED=\(seed)")
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random number of random bytes, up to `count`.
    package mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Damages `bytes` in one to three ways: changes a bit or a byte, removes a piece, or doubles a piece.
    package mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &self)
            let end = Int.random(in: index...min(bytes.count, index + 8), using: &self)
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[index] = UInt8(truncatingIfNeeded: next())
            case 2: bytes.removeSubrange(index..<end)
            default: bytes.insert(contentsOf: bytes[index..<end], at: index)
            }
        }
        return bytes
    }
}
