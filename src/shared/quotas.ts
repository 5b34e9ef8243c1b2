import type { ErrorCode } from './errors.ts'

/**
 * The resources of a space that billing plans can limit, each with the error code of a refused addition. All are
 * numbers of items outside the trash, except `storage`: the bytes of assets outside the trash.
 */
export const quotaErrors = {
  members: 'MemberQuotaExceeded',
  apps: 'AppQuotaExceeded',
  models: 'ModelQuotaExceeded',
  documents: 'ContentQuotaExceeded',
  assets: 'AssetQuotaExceeded',
  storage: 'StorageQuotaExceeded',
} as const satisfies Record<string, ErrorCode>

export type QuotaKind = keyof typeof quotaErrors
