import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { giveFocusBack } from '#admin/lib/focus-back.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { IssuedSecret } from '#admin/ui/issued-secret.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { CodeSample } from './code-sample.tsx'
import { TokenSection } from './token-section.tsx'
import { type IssuedToken, type TokenKind, tokenKinds } from './tokens.queries.ts'

interface Issued {
  kind: TokenKind
  token: IssuedToken
}

/** `/{p}/-/api-keys` */
export function TokensPage() {
  const t = useTranslations('tokens')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  const [issued, setIssued] = useState<Issued | null>(null)

  function close() {
    setIssued(null)
    setTimeout(() => giveFocusBack(null))
  }

  return (
    <Page title={t('title')} description={t('text')} width="narrow">
      {can('token.manage') ? (
        <>
          {issued && <IssuedPanel key={issued.token.token} issued={issued} done={close} />}
          {tokenKinds.map((kind) => (
            <TokenSection key={kind} p={p} kind={kind} onIssued={(token) => setIssued({ kind, token })} />
          ))}
          <CodeSample p={p} issued={issued} />
        </>
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}

function IssuedPanel({ issued, done }: { issued: Issued; done: () => void }) {
  const t = useTranslations('tokens')
  return (
    <IssuedSecret
      title={t('issued.title', { name: issued.token.name })}
      text={t('issued.text')}
      label={t(`kinds.${issued.kind}`)}
      value={issued.token.token}
      copyLabel={t('copyToken')}
    >
      <Button variant="default" onClick={done}>
        {t('issued.done')}
      </Button>
    </IssuedSecret>
  )
}
