import { Button, Group } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { setAccount } from '#admin/lib/session.ts'
import classes from '#admin/ui/page.module.css'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'

/** The reasons why a space's security settings refuse a member. */
export type SpaceRefusal =
  | 'IpAddressNotAllowed'
  | 'SessionIsTooOld'
  | 'SecondFactorRequired'
  | 'SsoRequired'
  | 'UsualSignInRequired'

/** Shows a member why the space's security settings refuse access, and what to do. */
export function SpaceRefused({ code }: { code: SpaceRefusal }) {
  const t = useTranslations('security.refused')
  const router = useRouter()
  const { p = '' } = useParams({ strict: false })
  useDocumentTitle(t('title'))
  const { data } = useQuery({
    queryKey: ['space', p, 'validateIP'],
    queryFn: () => api('GET /api/project/{p}/security/validateIP', { params: { p } }),
    enabled: code === 'IpAddressNotAllowed',
  })

  async function signInAgain() {
    await api('POST /api/auth/logout', {})
    setAccount(null)
    await router.navigate({ to: '/login', search: { redirect: `/${p}` } as never })
  }

  return (
    <div className={classes.page}>
      <EmptyState
        whole
        icon={<IconShieldLock size={36} stroke={1.4} aria-hidden="true" />}
        title={t('title')}
        text={t(code, { address: data?.address ?? '…' })}
        action={
          <Group justify="center" gap="sm">
            {code === 'SsoRequired' && (
              <Button
                component="a"
                href={`/sso/login?${new URLSearchParams({ space: p, redirect: `/${p}` })}`}
              >
                {t('bySso')}
              </Button>
            )}
            {(code === 'SessionIsTooOld' || code === 'UsualSignInRequired') && (
              <Button onClick={() => void signInAgain()}>{t('signIn')}</Button>
            )}
            {code === 'SecondFactorRequired' && (
              <Button component={Link} to="/account/two-factor">
                {t('account')}
              </Button>
            )}
            <Button variant="default" component="a" href={`/${p}`}>
              {t('again')}
            </Button>
            <Button variant="default" component={Link} to="/spaces">
              {t('spaces')}
            </Button>
          </Group>
        }
      />
    </div>
  )
}

/** `/{p}/two-factor-authentication-not-configured` */
export function SecondFactorMissing() {
  return <SpaceRefused code="SecondFactorRequired" />
}
