import { Anchor, Button, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { appsQuery } from '#admin/lib/queries.ts'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { appsByKind, appsOf } from '../kinds/apps-of-move.ts'
import { moveQuery } from '../moves.queries.ts'
import { UpdatesSection } from '../update/updates-section.tsx'
import { imagePatterns, siteSpaceUid } from './site-code.ts'
import { SiteRequestsSection } from './site-requests-section.tsx'

const route = getRouteApi('/signed-in/$p/settings/-/moves/$move/site')

/** `/{p}/-/moves/{move}/site` */
export function SitePage() {
  const t = useTranslations('moves.site')
  const { p, move: id } = route.useParams()
  const { data: move, error, refetch } = useQuery(moveQuery({ p, a: null }, id))
  const { data: appsHere } = useQuery(appsQuery(p))
  if (!move)
    return (
      <Page title={t('title')}>
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />}
      </Page>
    )
  const apps = appsOf(move)
  // No requests are shown for apps that do not exist yet or no longer exist.
  const isThere = ({ uid }: { uid: string }) => appsHere?.some((app) => app.uid === uid) === true
  const isOne = !appsByKind[move.kind].isSeveral
  const from = siteOf(apps[0]?.from)
  const isNewt = from === 'newt'
  const variable = (name: string) => `${isNewt ? 'NEWT' : 'IMORI'}_${name}`
  return (
    <Page
      title={t('title')}
      description={isNewt ? t('text') : t('otherText')}
      width="narrow"
      actions={
        <Button variant="default" component={Link} {...{ to: `/${p}/-/moves/${id}` }}>
          {t('back')}
        </Button>
      }
    >
      <Section title={t('values.title')} description={isNewt ? t('values.text') : t('values.otherText')}>
        <Stack gap="sm">
          <CopyField
            label={t('values.space')}
            value={siteSpaceUid(location.origin, p)}
            copyLabel={t('copy')}
          />
          {!isOne && <Text size="sm">{t('values.severalText')}</Text>}
          {apps.map(({ uid, name }) => (
            <CopyField
              key={uid}
              label={isOne ? t('values.app') : t('values.appOf', { name })}
              value={uid}
              copyLabel={t('copy')}
            />
          ))}
          <Text size="sm">
            {t.rich('values.token', {
              link: (chunks) => (
                <Anchor inherit underline="always" component={Link} {...{ to: `/${p}/-/api-keys` }}>
                  {chunks}
                </Anchor>
              ),
            })}
          </Text>
        </Stack>
      </Section>
      <Section title={t('env.title')} description={t('env.text')}>
        <CodeBlock
          copyLabel={t('copy')}
          code={[
            `${variable('SPACE_UID')}=${siteSpaceUid(location.origin, p)}`,
            ...apps.flatMap(({ uid, name }) => [
              ...(isOne ? [] : [`# ${name.replace(/\s+/g, ' ')}`]),
              `${variable('APP_UID')}=${uid}`,
            ]),
            `${variable('CDN_API_TOKEN')}=${t('env.token')}`,
          ].join('\n')}
        />
        {location.protocol === 'http:' && (
          <Text size="sm" c="var(--mantine-color-error)" mt="xs">
            {t('env.needsHttps')}
          </Text>
        )}
      </Section>
      <Section title={t('images.title')} description={t('images.text')}>
        <CodeBlock copyLabel={t('copy')} code={imagePatterns(location.origin, p)} />
      </Section>
      {apps.filter(isThere).map(({ uid, name }) => (
        <SiteRequestsSection key={uid} p={p} app={uid} {...(isOne ? {} : { name })} />
      ))}
      {isNewt && (
        <Section title={t('check.title')} description={t('check.text')}>
          <CodeBlock
            copyLabel={t('copy')}
            code={`npm run verify-move -- ${t('check.archive')} --server ${location.origin} --space ${p}${isOne ? ` --app ${apps[0]?.uid ?? ''}` : ''} --token ${t('env.token')}`}
          />
        </Section>
      )}
      <UpdatesSection p={p} move={move} />
      <Section title={t('differences.title')}>
        <List size="sm" spacing="xs">
          {differences[from].map((key) => (
            <List.Item key={key}>{t(`differences.${key}`)}</List.Item>
          ))}
        </List>
      </Section>
    </Page>
  )
}

/** Returns which service a site read from before: Newt, another Imori, or another service. `kind` undefined: Newt. */
function siteOf(kind: string | undefined): keyof typeof differences {
  if (kind === undefined || kind.startsWith('newt')) return 'newt'
  return kind === 'imori' ? 'imori' : 'other'
}

const differences = {
  newt: ['drafts', 'images', 'webhooks', 'members'],
  imori: ['carriedDrafts', 'images', 'carriedMembers'],
  other: ['otherDrafts', 'images', 'otherWebhooks', 'members'],
} as const
