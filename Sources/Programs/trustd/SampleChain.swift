import ChatelaineModel
import TrustEvaluation
import TrustProtocol

/// A valid chain with the usual kinds of keys: P-256 under RSA under P-384.
///
/// Two more anchors of the same name have Ed25519 and P-521 keys. Its private keys were discarded, and only the warm-up
/// asks about it. What libraries set up at the first use of a kind of key takes longer than the examination of the
/// whole chain.
enum SampleChain {
    static let host = "sample.invalid"
    /// 1 January 2027, when every certificate is valid.
    private static let date: Int64 = 1_798_761_600
    private static let issuers = 2

    /// Nil if a certificate cannot be read.
    static var question: TrustQuestion? {
        let certificates = RootBundle.read(Array(text.utf8)).map(\.certificate)
        guard certificates.count > issuers else { return nil }
        var question = TrustQuestion(
            Array(certificates.prefix(issuers)), policies: [TrustPolicy(.basic), TrustPolicy(.ssl, name: host)])
        (question.anchors, question.hasOwnAnchorsOnly) = (Array(certificates.dropFirst(issuers)), true)
        (question.date, question.allowsFetching) = (date, false)
        return question
    }

    private static let text = """
        -----BEGIN CERTIFICATE-----
        MIICqDCCAZCgAwIBAgIUDCrILVT9rbNVkBoQxn5erpUGb48wDQYJKoZIhvcNAQEL
        BQAwKTEPMA0GA1UECgwGU2FtcGxlMRYwFAYDVQQDDA1TYW1wbGUgSXNzdWVyMB4X
        DTI2MTEyNjA3MzQyOVoXDTI5MDIwMzA3MzQyOVowKjEPMA0GA1UECgwGU2FtcGxl
        MRcwFQYDVQQDDA5zYW1wbGUuaW52YWxpZDBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABMl8Ckj6ebrAa2J80emM7lXG9Kv4UyAHVY20G+Ikx2r5Kod5V8PDBeSv0t2z
        g1hhd0qNQysQEQpR6hTwVC0YxvCjgZEwgY4wDAYDVR0TAQH/BAIwADAOBgNVHQ8B
        Af8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwGQYDVR0RBBIwEIIOc2FtcGxl
        LmludmFsaWQwHQYDVR0OBBYEFE6QuGW3qX0ysjDNtwYr+XuDARwcMB8GA1UdIwQY
        MBaAFJNEtW3PrjYwl6YMXo/86KfFnAerMA0GCSqGSIb3DQEBCwUAA4IBAQBwsRct
        PPoA71DBmQW8oHlhNcgthRpsecDl22EVXXrbCCiaPWD5Kbdk23rePVA0aqOZ65d6
        6gDaopTxwuQBKYMA9GvzFU1asmVnA+w0FxsdmuLLocUgHxkppsR3PoPxliLGOgFP
        cuAiq9/+e1vlijVZsRSXW0YwGqxaK7uB1MIDECT3++FrW+FSx8WkSz/M9otBXFHt
        dXUKSS40h3L/rOr5jCSMakSb87I1IH863vVA+mCf1ax3epYQFzBYg3qEeQHA7ZG1
        ESYo1hvViJN1jFAgNht90AoaoQyqOvDANrgf1hSD3aoZwyEG4IQU8UvwRfm+y5Vp
        386H8xhGAzsi653I
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIICojCCAimgAwIBAgIUTnOolH3MbQ4XjHZbSJmbZ/7C68UwCgYIKoZIzj0EAwMw
        JzEPMA0GA1UECgwGU2FtcGxlMRQwEgYDVQQDDAtTYW1wbGUgUm9vdDAeFw0yNjEx
        MjYwNzM0MjlaFw0zNjExMjMwNzM0MjlaMCkxDzANBgNVBAoMBlNhbXBsZTEWMBQG
        A1UEAwwNU2FtcGxlIElzc3VlcjCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoC
        ggEBALbI/dYQtQngnChYZtrFyVLOsgc/Q4CyAgqMWUWV0tlEgn2A2UsM/cGl4SbQ
        6A5PXgAslvMKRA7cLL6ijsDPdaUV5GSX3jK74+jjfWUvjZap57+moz63w4dKXOlD
        NsM04p0lms9WsPrHI0ogrEko1rkvWfYzOnII3v37TSo+1mYbc79/BrTV5+BmXAhk
        ZMwMraWhzelVWeB/4QLgafxMoxW+k/ueGZ9TTf/wMOcl3HyroxDbQpcnwYKhp+rp
        hjo3ZDOLNDXrJKvmvHjc/8UAyJ5d1VjA5sWq5JBWhi1H6de9ar2fOMOnfUoI1cD6
        rZlbwgDOH+curHfMkbWmxJAGaKkCAwEAAaNmMGQwEgYDVR0TAQH/BAgwBgEB/wIB
        ADAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFJNEtW3PrjYwl6YMXo/86KfFnAer
        MB8GA1UdIwQYMBaAFKDMg5YKnpKs92qHw0q35LNe+SgDMAoGCCqGSM49BAMDA2cA
        MGQCMAQJItg9XCR0Q2r0p1yo1f4QsIyLdS2RmDhokn+er9mDpaiwyf4MrKnwFT0P
        dNSABgIwQvWBgyC0UpXsnFJ6Vady1xZEn9b8aWf5I2TPXD0+0n0aMYx6UFSlxFqE
        /H5szhQ3
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIIB7zCCAXagAwIBAgIUDgFKq9r2Eh0WYG0oxnlAznBdACQwCgYIKoZIzj0EAwMw
        JzEPMA0GA1UECgwGU2FtcGxlMRQwEgYDVQQDDAtTYW1wbGUgUm9vdDAeFw0yNjEx
        MjYwNzM0MjhaFw0zNjExMjMwNzM0MjhaMCcxDzANBgNVBAoMBlNhbXBsZTEUMBIG
        A1UEAwwLU2FtcGxlIFJvb3QwdjAQBgcqhkjOPQIBBgUrgQQAIgNiAASzrX3tyV+W
        3GSn0Cz7unu+GdYrlyBBCAGl7ifq7z3znO9KNnhhBRbPM+P6rFNkQX/bLDSE5hT1
        vqTbiE+2VHOjb4HdGIDouxqX1HrmhqqUol+fgLH+4x8ipdEoBzY8KU2jYzBhMB0G
        A1UdDgQWBBSgzIOWCp6SrPdqh8NKt+SzXvkoAzAfBgNVHSMEGDAWgBSgzIOWCp6S
        rPdqh8NKt+SzXvkoAzAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAK
        BggqhkjOPQQDAwNnADBkAjBGxBUgQ+IrABi9roV0QCOMF+KSJcD1xHqbH6dmxgDS
        x4mc7pjytdvWkbz+e2LMW8ECMGciX/UOD3ChbGGmtVrAyOtAYHR2S5WV5nsH4GEP
        +lfn0P2KxFWnx2DNjbD5eIgVbg==
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIIBYzCCARWgAwIBAgIUG5QdVaDb5aMg4D1rCRlJuzkHBAEwBQYDK2VwMCcxDzAN
        BgNVBAoMBlNhbXBsZTEUMBIGA1UEAwwLU2FtcGxlIFJvb3QwHhcNMjYxMTI2MDcz
        NDI5WhcNMzYxMTIzMDczNDI5WjAnMQ8wDQYDVQQKDAZTYW1wbGUxFDASBgNVBAMM
        C1NhbXBsZSBSb290MCowBQYDK2VwAyEALg5HLC/NTcJECiZv10JcUJr+qOrrX77r
        evgiLFC5HKSjUzBRMB0GA1UdDgQWBBQzeZX85Cw8uxLJUC62jdHVGxjSgjAfBgNV
        HSMEGDAWgBQzeZX85Cw8uxLJUC62jdHVGxjSgjAPBgNVHRMBAf8EBTADAQH/MAUG
        AytlcANBAMwTf6RPOxdfsbRIEgLJOmlYkyeEHOrgxcq6SGAqkaNo5j8YOIKAZ7Bd
        M5nH15zh0pB1qbj7eh+W5Qzz/9D9dAk=
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIICKTCCAYygAwIBAgIUCaVufPoiPRDnuk/QDjlxxOKpErYwCgYIKoZIzj0EAwQw
        JzEPMA0GA1UECgwGU2FtcGxlMRQwEgYDVQQDDAtTYW1wbGUgUm9vdDAeFw0yNjEx
        MjYwNzM0MjlaFw0zNjExMjMwNzM0MjlaMCcxDzANBgNVBAoMBlNhbXBsZTEUMBIG
        A1UEAwwLU2FtcGxlIFJvb3QwgZswEAYHKoZIzj0CAQYFK4EEACMDgYYABADKavQ6
        DanpgTpbajxGbzwV9TwHV82xAu38TtC5Y+e+jWFIXG1lVnpKUvu36j8qAO73YdG8
        UWWcAaPiN8BcfZy4CACD70+zaNWRSuXn9gLuN0ueRPZ9/oV5Qfb5plcnSrIQ58pL
        xxmG06Q9t3CDCdGhXGKbNpUeA/5zKj7DqPkY/qRfnKNTMFEwHQYDVR0OBBYEFLS5
        iFkSypa6lhueBRtrHl6DTGyOMB8GA1UdIwQYMBaAFLS5iFkSypa6lhueBRtrHl6D
        TGyOMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwQDgYoAMIGGAkEk14olFzSy
        zGn6LejdohlCsaFGRiHjkAx6OmUZjUGaMAzXnLe0t6+U0dj4D15x2/gC7Lm9g8bK
        tonyHVW025A1ogJBdLoDHohVwuqaQKH9uRQNH1gvntUedXLIeEVQ5p0n9EaVu80e
        gJ7xzM+hnd4au3gi1HXTT/ZQ6/OpkfOcvD4hdFo=
        -----END CERTIFICATE-----
        """
}
