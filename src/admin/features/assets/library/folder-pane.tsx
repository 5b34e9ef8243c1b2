import { ActionIcon, Button, Group, Menu, TextInput, UnstyledButton } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCopy,
  IconDots,
  IconFolder,
  IconFolderPlus,
  IconPhoto,
  IconTrash,
  IconUser,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText, inputErrorText } from '#admin/lib/errors.ts'
import { useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { assetFoldersQuery, assetsChanged, filterText } from '#admin/media/assets.queries.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { AssetFolder } from '#shared/contract/assets.ts'
import classes from './library.module.css'
import { filterOf, isNarrowed, type LibrarySearch, readLibrarySearch } from './library-search.ts'

interface FolderPaneProps {
  p: string
  search: LibrarySearch
  onChange: (search: LibrarySearch) => void
  canManage: boolean
}

/** Built-in filters, and saved filters as folders. */
export function FolderPane({ p, search, onChange, canManage }: FolderPaneProps) {
  const t = useTranslations('assets.folders')
  const account = useAccount()
  const folders = useQuery(assetFoldersQuery(p)).data ?? []
  const [naming, setNaming] = useState<AssetFolder | 'new' | null>(null)
  const current = filterText(filterOf(search))
  const looks = search.view ? { view: search.view } : {}

  const link = (name: string, icon: ReactNode, filter: LibrarySearch) => (
    <UnstyledButton
      className={classes.folderLink}
      aria-current={filterText(filterOf(filter)) === current}
      onClick={() => onChange({ ...filter, ...looks })}
    >
      {icon}
      <span className={classes.folderName}>{name}</span>
    </UnstyledButton>
  )

  async function update(folder: AssetFolder) {
    try {
      await api('PUT /api/project/{p}/assetFolders/{id}', {
        params: { p, id: folder._id },
        body: { data: { filter: filterRecord(search) } },
      })
      await assetsChanged(p)
      toast.success(t('updated', { name: folder.name }))
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  function remove(folder: AssetFolder) {
    confirm({
      title: t('deleteTitle', { name: folder.name }),
      message: t('deleteText'),
      action: t('delete'),
      run: async () => {
        await api('DELETE /api/project/{p}/assetFolders/{id}', { params: { p, id: folder._id } })
        await assetsChanged(p)
      },
    })
  }

  const canSave = canManage && isNarrowed(search) && search.trash === undefined
  const sign = { size: 18, stroke: 1.6, 'aria-hidden': true } as const
  return (
    <nav className={classes.pane} aria-label={t('label')}>
      <ul>
        <li>{link(t('all'), <IconPhoto {...sign} />, {})}</li>
        {account && <li>{link(t('mine'), <IconUser {...sign} />, { createdBy: account._id })}</li>}
        <li>{link(t('missingAlt'), <IconAlertTriangle {...sign} />, { missingAlt: 'true' })}</li>
        <li>{link(t('duplicates'), <IconCopy {...sign} />, { duplicates: 'true' })}</li>
        <li>{link(t('trash'), <IconTrash {...sign} />, { trash: 'true' })}</li>
      </ul>
      {(folders.length > 0 || canSave) && <p className={classes.paneHeading}>{t('heading')}</p>}
      <ul>
        {folders.map((folder) => (
          <li key={folder._id} className={classes.folder}>
            {link(folder.name, <IconFolder {...sign} />, readLibrarySearch(folder.filter))}
            {canManage && (
              <Menu position="bottom-end">
                <Menu.Target>
                  <ActionIcon variant="subtle" color="gray" aria-label={t('menuOf', { name: folder.name })}>
                    <IconDots size={16} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item onClick={() => setNaming(folder)}>{t('rename')}</Menu.Item>
                  <Menu.Item disabled={!isNarrowed(search)} onClick={() => void update(folder)}>
                    {t('update')}
                  </Menu.Item>
                  <Menu.Item c="var(--mantine-color-error)" onClick={() => remove(folder)}>
                    {t('delete')}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            )}
          </li>
        ))}
      </ul>
      {canSave && (
        <Button
          mt="xs"
          size="xs"
          variant="default"
          style={{ flex: 'none' }}
          leftSection={<IconFolderPlus size={15} />}
          onClick={() => setNaming('new')}
        >
          {t('save')}
        </Button>
      )}
      {naming && <NameDialog p={p} folder={naming} search={search} onClose={() => setNaming(null)} />}
    </nav>
  )
}

const filterRecord = (search: LibrarySearch): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(filterText(filterOf(search))))

interface NameDialogProps {
  p: string
  folder: AssetFolder | 'new'
  search: LibrarySearch
  onClose: () => void
}

function NameDialog({ p, folder, search, onClose }: NameDialogProps) {
  const t = useTranslations('assets.folders')
  const common = useTranslations('common')
  const [name, setName] = useState(folder === 'new' ? '' : folder.name)
  const [running, setRunning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (running || name.trim() === '') return
    setRunning(true)
    try {
      if (folder === 'new')
        await api('POST /api/project/{p}/assetFolders', {
          params: { p },
          body: { data: { name: name.trim(), filter: filterRecord(search) } },
        })
      else
        await api('PUT /api/project/{p}/assetFolders/{id}', {
          params: { p, id: folder._id },
          body: { data: { name: name.trim() } },
        })
      await assetsChanged(p)
      onClose()
    } catch (error) {
      setProblem(inputErrorText(error))
      setRunning(false)
    }
  }

  return (
    <Dialog onClose={onClose} title={folder === 'new' ? t('saveTitle') : t('renameTitle')}>
      <form onSubmit={submit}>
        <FormStack>
          <TextInput
            data-autofocus
            label={t('name')}
            description={folder === 'new' ? t('nameHint') : null}
            value={name}
            maxLength={100}
            error={problem}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit" loading={running} disabled={name.trim() === ''}>
              {common('save')}
            </Button>
          </Group>
        </FormStack>
      </form>
    </Dialog>
  )
}
