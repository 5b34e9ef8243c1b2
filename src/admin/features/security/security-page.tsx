import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { SecurityFrame } from '#admin/features/shell/security-frame.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { securityQuery } from './security.queries.ts'
import { SecurityForm } from './security-form.tsx'

/** `/{p}/-/security` */
export function SecurityPage() {
  const t = useTranslations('security')
  const { p } = spaceRoute.useParams()
  return (
    <SecurityFrame p={p} title={t('title')} text={t('text')}>
      <Settings p={p} />
    </SecurityFrame>
  )
}

function Settings({ p }: { p: string }) {
  const { data, error, refetch } = useQuery(securityQuery(p))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  return (
    <SecurityForm key={data.security.version} p={p} security={data.security} yourAddress={data.yourAddress} />
  )
}
