import { Alert, Button, FileButton, Group, List, Text, Textarea } from '@mantine/core'
import { IconFileUpload, IconLock } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ChangeEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { CopyPlan as Plan, PortableModelInput } from '#shared/contract/model-copies.ts'
import type { Issue } from '#shared/errors.ts'
import { CopyPlan, useCopyProblem } from './copy-plan.tsx'
import { useShowMade } from './model-made.ts'

const route = getRouteApi('/signed-in/$p/$a/-/models/import')

/** `/{p}/{a}/-/models/import` */
export function ImportModelPage() {
  const t = useTranslations('modelCopies.import')
  const { p, a } = route.useParams()
  const can = useCanInApp(p, a)
  return (
    <Page title={t('title')} description={t('about')} width="narrow">
      {can('model.manage') ? (
        <ImportForm p={p} a={a} />
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

/** The result of checking the JSON: a plan, or its problems. */
type Result = { plan: Plan } | { problem: string; issues: Issue[] }

function ImportForm({ p, a }: { p: string; a: string }) {
  const t = useTranslations('modelCopies.import')
  const common = useTranslations('common')
  const copyProblem = useCopyProblem()
  const show = useShowMade(p)
  const [text, setText] = useState('')
  const [uid, setUid] = useState('')
  const [result, setResult] = useState<Result | null>(null)
  const [working, setWorking] = useState(false)

  function change(next: { text?: string; uid?: string }) {
    if (next.text !== undefined) {
      setText(next.text)
      // A uid taken from the previous JSON does not apply to the new JSON.
      if (uid === uidIn(text)) setUid('')
    }
    if (next.uid !== undefined) setUid(next.uid)
    setResult(null)
  }

  async function send(dryRun: boolean) {
    const data = read()
    if (!data) return
    setWorking(true)
    try {
      const { model, plan } = await api('POST /api/project/{p}/app/{a}/model:import', {
        params: { p, a },
        body: { data, dryRun },
      })
      setResult({ plan })
      if (model) await show(a, model, t('created', { name: model.name }))
    } catch (error) {
      setResult(refusal(error))
    } finally {
      setWorking(false)
    }
  }

  /**
   * Parses the typed JSON, which the server validates. null: the input is empty or not valid JSON, and the problem is
   * shown.
   */
  function read(): PortableModelInput | null {
    if (text.trim() === '') {
      setResult({ problem: t('empty'), issues: [] })
      return null
    }
    try {
      const data = JSON.parse(text)
      return uid ? { ...data, uid } : data
    } catch (error) {
      const reason = error instanceof Error ? error.message : ''
      setResult({ problem: t('notJson', { reason }), issues: [] })
      return null
    }
  }

  function refusal(error: unknown): Result {
    const issues = error instanceof ApiError ? error.issues : []
    if (error instanceof ApiError && error.code === 'ModelUidIsAlreadyInUse')
      return { problem: errorText(error), issues: [] }
    if (issues.length > 0) return { problem: t('problems', { count: issues.length }), issues }
    return { problem: copyProblem(error), issues: [] }
  }

  const uidInput = {
    value: uid,
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ uid: event.currentTarget.value }),
  }
  const plan = result && 'plan' in result ? result.plan : null
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send(plan === null)
      }}
    >
      <UnsavedGuard when={text !== '' && !working} />
      <FormStack>
        <Textarea
          label={t('json')}
          description={t('jsonHint')}
          value={text}
          rows={14}
          spellCheck={false}
          autoCapitalize="none"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <Group>
          <FileButton
            accept=".json,application/json"
            onChange={(file) => void file?.text().then((read) => change({ text: read }))}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconFileUpload size={16} />}>
                {t('file')}
              </Button>
            )}
          </FileButton>
        </Group>
        <UidField
          {...uidInput}
          kind="model"
          current={uid}
          // Called only for an empty input, for which the check used the uid of the JSON. So the result of the check
          // stays valid.
          suggest={() => setUid(uidIn(text))}
          label={t('uid')}
          description={t('uidHint')}
        />
        {result && 'problem' in result && <Refused {...result} />}
        {plan && <CopyPlan plan={plan} />}
        <Group>
          <Button type="submit" loading={working}>
            {plan ? t('create') : t('check')}
          </Button>
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/$p/$a" params={{ p, a }} />}>
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}

/** Returns the uid of a model in JSON, or an empty string if the JSON is not valid or has no uid. */
function uidIn(text: string): string {
  try {
    const uid = JSON.parse(text)?.uid
    return typeof uid === 'string' ? uid : ''
  } catch {
    return ''
  }
}

function Refused({ problem, issues }: { problem: string; issues: Issue[] }) {
  const t = useTranslations('modelCopies.import')
  if (issues.length === 0) return <FormProblem text={problem} />
  return (
    <Alert color="red" variant="light" role="alert" title={problem}>
      <List size="sm">
        {issues.map((issue) => (
          <List.Item key={`${issue.path} ${issue.code}`}>
            <Text size="sm">
              {t('problem', {
                path: issue.path.replace(/^data\.?/, '') || t('whole'),
                text: issueText(issue),
              })}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
