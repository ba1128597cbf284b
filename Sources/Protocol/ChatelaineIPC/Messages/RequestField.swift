import ChatelaineModel

/// Fields of requests. All requests share the numbers, so that a field means the same in each.
package enum RequestField: UInt64, CBORField {
    case operation = 0
    case identifier = 1
    case query = 2
    /// The change to items, or the certificate that becomes an anchor.
    case change = 3
    case path = 4
    case name = 5
    case number = 6
    /// Says that a passcode comes with the request.
    case passcode = 7
    /// What a person is asked.
    case question = 8
    case constraints = 9
    /// The file keychains in which items are looked for.
    case scope = 10
    /// One item of a file keychain.
    case item = 11
    case authenticationUI = 12
    /// Whether a person is asked about what the program may not do by itself.
    case asksPerson = 13
    /// Certificates to read.
    case certificates = 16
    /// A file of keys and certificates to read.
    case file = 20
    /// What is to be written as a file of keys and certificates.
    case order = 21
}
