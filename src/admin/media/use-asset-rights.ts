import { useAccount } from '#admin/lib/session.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import type { Asset } from '#shared/contract/assets.ts'

/** The caller's rights in the media library of a space. The server enforces them; this only hides and disables controls. */
export function useAssetRights(p: string) {
  const can = useCanInSpace(p)
  const account = useAccount()
  return {
    upload: can('asset.write.own'),
    /** Whether the caller may edit the asset: own uploads, or everybody's. */
    edit: (asset: Pick<Asset, 'createdBy'>): boolean =>
      can('asset.write.any') || (can('asset.write.own') && asset.createdBy?._id === account?._id),
    manageTags: can('tag.manage'),
  }
}
