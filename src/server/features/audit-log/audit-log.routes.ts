import { implement } from '#server/http/endpoints.ts'
import { auditLogEndpoints } from '#shared/contract/audit-log.ts'
import * as auditLog from './audit-log.service.ts'

export const auditLogRoutes = implement(auditLogEndpoints, {
  listAuditLog: (ctx, { query }) => auditLog.listAuditLog(ctx, query),
  listInstallationAuditLog: ({ db }, { query }) => auditLog.listInstallationAuditLog(db, query),
  exportAuditLog: (ctx, { query }, { signal }) => auditLog.exportAuditLog(ctx, query, signal),
  verifyAuditLog: (ctx, _input, { signal }) => auditLog.verifyAuditLog(ctx, signal),
})
