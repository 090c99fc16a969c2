/// The rows of the tables of events and answers, as they are inserted.
enum EventRecord {
    static func insert(_ row: AnswerRow, isResumed: Bool, in file: LedgerFile) throws(SQLiteError) {
        let insert = try file.statement(
            """
            INSERT INTO download (started_ms, duration_ms, model, version, asset, architecture, kind, path, requests,
                status, range_first, range_last, bytes_sent, bytes_total, completed, resumed, device, client,
                user_agent, tls)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)
            """
        )
        try insert.statement.bind(1, row.startedMilliseconds)
        try insert.statement.bind(2, row.durationMilliseconds)
        try insert.statement.bind(3, row.file.model)
        try insert.statement.bind(4, row.file.version)
        try insert.statement.bind(5, row.file.asset)
        try insert.statement.bind(6, row.file.architecture)
        try insert.statement.bind(7, row.file.kind)
        try insert.statement.bind(8, row.file.path)
        try insert.statement.bind(9, row.requests)
        try insert.statement.bind(10, Int64(row.status))
        try insert.statement.bind(11, row.range.map { Int64(clamping: $0.lowerBound) })
        try insert.statement.bind(12, row.range.map { Int64(clamping: $0.upperBound) })
        try insert.statement.bind(13, row.bytesSent)
        try insert.statement.bind(14, row.file.bytesTotal)
        try insert.statement.bind(15, row.completed)
        try insert.statement.bind(16, isResumed ? row.requests : 0)
        try insert.statement.bind(17, row.device?.text)
        try insert.statement.bind(18, row.client)
        try insert.statement.bind(19, row.userAgent?.text)
        try insert.statement.bind(20, row.isTLS)
        try insert.statement.run()
    }

    /// The answers of this row of `download` went on where one was cut that became known later.
    static func markResumed(_ row: Int64, in file: LedgerFile) throws(SQLiteError) {
        let update = try file.statement("UPDATE download SET resumed = requests WHERE id = ?1")
        try update.statement.bind(1, row)
        try update.statement.run()
    }

    static func insert(_ check: VersionCheck, in file: LedgerFile) throws(SQLiteError) {
        let insert = try file.statement(
            """
            INSERT INTO version_check (at_ms, model, channel, installed_version, offered_version, architecture,
                platform, os_version, device, client, outcome)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        )
        try insert.statement.bind(1, check.at)
        try insert.statement.bind(2, StoredText.clean(check.model))
        try insert.statement.bind(3, StoredText.clean(check.channel))
        try insert.statement.bind(4, StoredText.clean(check.installedVersion))
        try insert.statement.bind(5, StoredText.clean(check.offeredVersion))
        try insert.statement.bind(6, StoredText.clean(check.architecture))
        try insert.statement.bind(7, StoredText.clean(check.platform))
        try insert.statement.bind(8, StoredText.clean(check.osVersion))
        try insert.statement.bind(9, check.device?.text)
        try insert.statement.bind(10, check.client)
        try insert.statement.bind(11, StoredText.clean(check.outcome.text))
        try insert.statement.run()
    }

    static func insert(_ miss: VariantMiss, in file: LedgerFile) throws(SQLiteError) {
        let insert = try file.statement(
            """
            INSERT INTO variant_miss (at_ms, model, version, base, architecture, platform, answered_with, device,
                client)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        try insert.statement.bind(1, miss.at)
        try insert.statement.bind(2, StoredText.clean(miss.model))
        try insert.statement.bind(3, StoredText.clean(miss.version))
        try insert.statement.bind(4, StoredText.clean(miss.base))
        try insert.statement.bind(5, StoredText.clean(miss.architecture))
        try insert.statement.bind(6, StoredText.clean(miss.platform))
        try insert.statement.bind(7, miss.answeredWith.rawValue)
        try insert.statement.bind(8, miss.device?.text)
        try insert.statement.bind(9, miss.client)
        try insert.statement.run()
    }

    static func insert(_ report: DeviceReport, in file: LedgerFile) throws(SQLiteError) {
        let insert = try file.statement(
            """
            INSERT INTO device_report (at_ms, model, version, asset, architecture, outcome, error_domain, error_code,
                os_build, cold_load_ms, device, client)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """
        )
        try insert.statement.bind(1, report.at)
        try insert.statement.bind(2, StoredText.clean(report.model))
        try insert.statement.bind(3, StoredText.clean(report.version))
        try insert.statement.bind(4, StoredText.clean(report.asset))
        try insert.statement.bind(5, StoredText.clean(report.architecture))
        try insert.statement.bind(6, report.outcome.rawValue)
        try insert.statement.bind(7, StoredText.clean(report.errorDomain))
        try insert.statement.bind(8, report.errorCode)
        try insert.statement.bind(9, StoredText.clean(report.osBuild))
        try insert.statement.bind(10, report.coldLoadMilliseconds)
        try insert.statement.bind(11, StoredText.clean(report.device))
        try insert.statement.bind(12, report.client)
        try insert.statement.run()
    }
}
