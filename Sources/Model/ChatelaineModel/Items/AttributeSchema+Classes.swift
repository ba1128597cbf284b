extension AttributeSchema {
    private static let commonStrings = "agrp vwht tkid"
    private static let commonIgnored = "sha1 musr"
    private static let commonReserved = "tomb UUID clip sysb ggrp"
    private static let commonDates = "cdat mdat"
    private static let serviceBlobs = "pcsk pcsi"
    private static let serviceNumbers = "pcss"
    private static let passwordBlobs = "desc icmt labl alis prot acct \(serviceBlobs)"
    private static let passwordNumbers = "crtr type scrp invi nega cusi \(serviceNumbers)"

    static let genericPassword = AttributeSchema(
        [
            .blob: "\(passwordBlobs) svce gena", .number: passwordNumbers, .string: commonStrings,
            .date: commonDates, .accessibility: "pdmn", .synchronizable: "sync", .accessControl: "accc",
            .ignored: commonIgnored, .reserved: commonReserved,
        ],
        unique: "acct svce")

    static let internetPassword = AttributeSchema(
        [
            .blob: "\(passwordBlobs) sdmn srvr atyp path", .number: "\(passwordNumbers) ptcl port",
            .string: commonStrings, .data: "binn bini bin0 bin1 bin2 bin3", .date: commonDates,
            .accessibility: "pdmn", .synchronizable: "sync", .accessControl: "accc",
            .ignored: commonIgnored, .reserved: commonReserved,
        ],
        unique: "acct sdmn srvr ptcl atyp port path")

    static let certificate = AttributeSchema(
        [
            .blob: "labl alis \(serviceBlobs)", .number: "ctyp cenc \(serviceNumbers)", .string: commonStrings,
            .data: "subj issr slnr skid pkhh",
            .date: commonDates, .accessibility: "pdmn", .synchronizable: "sync", .accessControl: "accc",
            .ignored: commonIgnored, .reserved: commonReserved,
        ],
        unique: "ctyp issr slnr")

    private static let keyFlags = "perm priv modi sens asen extr next encr decr drve sign vrfy snrc vyrc wrap unwp"

    static let key = AttributeSchema(
        [
            .blob: "labl alis atag \(serviceBlobs)",
            .number: "kcls crtr type bsiz esiz \(keyFlags) \(serviceNumbers)", .string: commonStrings,
            .data: "klbl", .date: "\(commonDates) sdat edat", .accessibility: "pdmn", .synchronizable: "sync",
            .accessControl: "accc", .ignored: commonIgnored, .reserved: commonReserved,
        ],
        unique: "kcls klbl atag crtr type bsiz esiz sdat edat")

    /// Identities are searched by the attributes of their keys and certificates.
    static let identity = AttributeSchema(
        [
            .blob: "labl alis atag \(serviceBlobs)",
            .number: "ctyp cenc kcls crtr type bsiz esiz \(keyFlags) \(serviceNumbers)",
            .string: commonStrings, .data: "subj issr slnr skid pkhh klbl", .date: "\(commonDates) sdat edat",
            .accessibility: "pdmn", .synchronizable: "sync", .accessControl: "accc",
            .ignored: commonIgnored, .reserved: commonReserved,
        ],
        unique: "")
}
