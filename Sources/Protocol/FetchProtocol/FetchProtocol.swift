import ChatelaineModel

/// What securityd and fetchd, which asks servers that certificates name, say to each other.
///
/// securityd sends one ``FetchRequest``, fetchd answers with one ``FetchReply`` and ends. Nothing in either is secret.
package enum FetchProtocol {}

/// Sizes of the protocol. Both ends come from one build, so there is no negotiation.
package enum FetchWire {
    package static let version: UInt64 = 1
    /// A URL, a body, and what stands around them.
    package static let maximumRequestBytes = FetchLimits.maximumURLBytes + FetchLimits.maximumBodyBytes + 1024
    /// An answer and its head.
    package static let maximumReplyBytes = FetchLimits.maximumAnswerBytes + 1024
}

/// Bounds of what one certificate can make this machine ask for.
package enum FetchLimits {
    /// What browsers and servers take; those in certificates have a tenth of that.
    package static let maximumURLBytes = 2048
    /// A question about one certificate: about a hundred bytes, with a long serial number twice that.
    package static let maximumBodyBytes = 1024
    /// As much as an evaluation takes of revocation.
    package static let maximumAnswerBytes = TrustLimits.maximumRevocationBytes
    /// Heads of all answers to one request; a long one has some KiB.
    package static let maximumHeadBytes = 32 * 1024
    /// What an administrator may name; there is one without.
    package static let maximumPorts = 16
    /// Of http. Another one speaks another language as a rule, and strangers have this machine write to it.
    package static let usualPort: UInt16 = 80
    /// One moves to another host, one to another name of it; what wants more leads around.
    package static let maximumRedirects = 3
    /// Looking up, connecting and answering together, as somebody waits.
    package static let maximumSeconds = 10
}

/// What fetchd is asked.
package struct FetchRequest: Equatable, Sendable {
    package let url: String
    /// An OCSP request, which is posted; nil for a list or a certificate, which are gotten.
    package let body: [UInt8]?
    /// How long all of it may take.
    package let seconds: Int
    /// The only ones that are connected to.
    package let ports: [UInt16]

    /// nil beyond a bound, and where the URL is not one of http that is plain text.
    package init?(
        url: String, body: [UInt8]? = nil, seconds: Int = FetchLimits.maximumSeconds,
        ports: [UInt16] = [FetchLimits.usualPort]
    ) {
        guard url.utf8.count <= FetchLimits.maximumURLBytes, url.lowercased().hasPrefix("http://"),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            (body?.count ?? 1) > 0, (body?.count ?? 0) <= FetchLimits.maximumBodyBytes,
            (1...FetchLimits.maximumSeconds).contains(seconds), (1...FetchLimits.maximumPorts).contains(ports.count)
        else { return nil }
        self.url = url
        self.body = body
        self.seconds = seconds
        self.ports = ports
    }
}

/// What fetchd answers.
package enum FetchReply: Equatable, Sendable {
    case content([UInt8])
    case failure(FetchFailure)
}

/// Why there is no content.
package enum FetchFailure: UInt8, CBORValue, CaseIterable, Sendable, Error {
    case unsuitableURL = 1
    case unknownHost = 2
    /// It leads to this machine, its link, or a group.
    case refusedAddress = 3
    case unreachable = 4
    case timedOut = 5
    case tooLarge = 6
    /// A status of HTTP other than 200.
    case refusedByServer = 7
    /// Too many, or away from http.
    case refusedRedirect = 8
    /// It leads to a port that is not among those of the request.
    case refusedPort = 9
}
