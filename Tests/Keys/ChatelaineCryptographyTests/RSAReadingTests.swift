import ChatelaineModel
import Testing

@testable import ChatelaineCryptography

/// RSA keys are read in several forms, and those with numbers that no key has are refused (behaviour/keys-in-memory.md,
/// 5 and 6).
@Suite struct RSAReadingTests {
    private static let bytes = Result { () throws(KeychainError) in
        try CryptographicKey.generate(.rsa, bits: 1024).privateRepresentation().withUnsafeBytes { [UInt8]($0) }
    }

    /// The numbers of PKCS#1: version, n, e, d, p, q, dp, dq, qinv.
    private static func numbers() throws -> [[UInt8]] {
        var rest = try bytes.get().dropFirst(4)
        var numbers: [[UInt8]] = []
        while rest.popFirst() == 0x02, var count = rest.popFirst().map(Int.init) {
            if count >= 0x80 {
                let wide = count - 0x80
                count = rest.prefix(wide).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(wide)
            }
            numbers.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return numbers
    }

    /// The number without needless zeros, which no DER has.
    private static func minimal(_ number: [UInt8]) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        return digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let (high, low) = (UInt8(content.count >> 8), UInt8(content.count & 0xFF))
        let length = content.count < 0x80 ? [low] : high == 0 ? [0x81, low] : [0x82, high, low]
        return [tag] + length + content
    }

    private static func key(_ numbers: [[UInt8]]) -> [UInt8] {
        element(0x30, numbers.flatMap { element(0x02, minimal($0)) })
    }

    /// Adds or subtracts numbers of one width.
    private static func sum(_ one: [UInt8], _ other: [UInt8], minus: Bool = false) -> [UInt8] {
        var (result, carry) = ([UInt8](), 0)
        let width = max(one.count, other.count)
        func digit(_ number: [UInt8], _ index: Int) -> Int {
            index < number.count ? Int(number[number.count - 1 - index]) : 0
        }
        for index in 0..<width {
            let value = digit(one, index) + (minus ? -digit(other, index) : digit(other, index)) + carry
            result.insert(UInt8(truncatingIfNeeded: value), at: 0)
            carry = value >> 8
        }
        return carry > 0 ? [UInt8(carry)] + result : result
    }

    private static func isRefused(_ bytes: [UInt8], isPrivate: Bool) -> Bool {
        do {
            _ = try Keys.read(.rsa, isPrivate: isPrivate, bytes)
            return false
        } catch { return (error as? KeychainError)?.status == .param }
    }

    @Test func otherFormsAreRead() throws {
        let (whole, numbers) = (try Self.bytes.get(), try Self.numbers())
        let open = Self.key(Array(numbers[1...2]))
        /// The identifier of RSA (RFC 8017, A.1), with the parameter NULL.
        let algorithm = Self.element(0x30, [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 0x05, 0])
        let info = Self.element(0x30, algorithm + Self.element(0x03, [0] + open))
        let content = numbers[1...2].flatMap { Self.element(0x02, Self.minimal($0)) }
        let endless = [0x30, 0x80] + content + [0, 0]
        let unsigned = Self.element(
            0x30, numbers[1...2].flatMap { Self.element(0x02, Array($0.drop { $0 == 0 })) })
        for form in [info, endless, unsigned] {
            let key = try Keys.read(.rsa, isPrivate: false, form)
            #expect(try key.publicRepresentation() == open)
        }
        let wrapped = Self.element(0x30, [0x02, 1, 0] + algorithm + Self.element(0x04, whole))
        #expect(Keys.bytes(try Keys.read(.rsa, isPrivate: true, wrapped).privateRepresentation()) == whole)
        // Neither class is read as the other one.
        for (form, isPrivate) in [(info, true), (wrapped, false)] {
            #expect(Self.isRefused(form, isPrivate: isPrivate))
        }
    }

    @Test func exponentsThatNoPublicKeyHasAreRefused() throws {
        let modulus = try Self.numbers()[1]
        for exponent: [UInt8] in [[0], [1], [2], [4], [1, 0, 0], modulus, Self.sum(modulus, [2])] {
            #expect(Self.isRefused(Self.key([modulus, exponent]), isPrivate: false), "\(exponent.suffix(3))")
        }
        for exponent: [UInt8] in [[3], [17], [1, 0, 1], Self.sum(modulus, [2], minus: true)] {
            #expect(!Self.isRefused(Self.key([modulus, exponent]), isPrivate: false), "\(exponent.suffix(3))")
        }
        let even = Self.sum(modulus, [1], minus: true)
        #expect(Self.isRefused(Self.key([even, [1, 0, 1]]), isPrivate: false))
    }

    /// libcrypto uses no exponent of more than 64 bits with a modulus of more than 3072.
    @Test func exponentsAreShortWithLargeModuli() {
        let wide: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1]
        let narrow: [UInt8] = [0, 0x80, 0, 0, 0, 0, 0, 0, 1]
        for (bytes, exponent, isRefused) in [(512, wide, true), (512, narrow, false), (384, wide, false)] {
            let modulus = [0, 0xC0] + [UInt8](repeating: 1, count: bytes - 1)
            #expect(Self.isRefused(Self.key([modulus, exponent]), isPrivate: false) == isRefused, "\(bytes)")
        }
    }

    @Test func numbersThatNoPrivateKeyHasAreRefused() throws {
        let numbers = try Self.numbers()
        #expect(!Self.isRefused(Self.key(numbers), isPrivate: true))
        // The eight numbers match, and the key encrypts nothing.
        var idle = numbers
        (idle[2], idle[3], idle[6], idle[7]) = ([1], [1], [1], [1])
        #expect(Self.isRefused(Self.key(idle), isPrivate: true))
        // The private number plus (p - 1) (q - 1), which is above the modulus.
        let (modulus, first, second) = (numbers[1], numbers[4], numbers[5])
        let order = Self.sum(Self.sum(Self.sum(modulus, first, minus: true), second, minus: true), [1])
        var long = numbers
        for _ in 0..<2 { long[3] = Self.sum(long[3], order) }
        #expect(Self.isRefused(Self.key(long), isPrivate: true))
    }
}
